import { extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { firstLine } from "../../text/file-trouble.js";

/** The file of the font that comes along: pictures look alike on every machine, also on one without fonts. */
export const INTER = fileURLToPath(new URL("../../../src/report/charts/fonts/Inter-Regular.otf", import.meta.url));

/**
 * Texts all of whose letters the font has (Latin but for phonetic letters, Greek, Cyrillic of living languages): to look through
 * the fonts of a machine takes longer than to draw.
 */
export const INTER_HAS =
  /^[\n -~\u00a0-\u0148\u014a-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u0391-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490-\u0493\u2010-\u2027\u2030-\u203a\u2212]*$/;

type ToBytes = (svg: string) => Promise<string | Uint8Array>;

/** The forms in which a picture can be written, by the ending of its file. */
const forms: Readonly<Record<string, ToBytes>> = {
  ".svg": async (svg) => svg,
  ".png": (svg) => toPng(svg),
  ".pdf": (svg) => toPdf(svg),
};

const endings = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(Object.keys(forms));

/** Checks before any work that a picture can be written to this file. Throws UsageError naming the endings there are. */
export function refuseOtherPictures(file: string): void {
  if (forms[extname(file)] === undefined) throw new UsageError(`--picture ${file}: the ending must be ${endings}`);
}

/** Writes a picture as its ending says. Throws UsageError where it cannot be written or converted. */
export async function writePicture(file: string, svg: string, cwd: string): Promise<void> {
  refuseOtherPictures(file);
  const bytes = await forms[extname(file)]?.(svg);
  writeWhole(resolve(cwd, file), bytes ?? svg, { shared: true });
}

/** The part of resvg (2.x) that is used. */
interface Resvg {
  readonly Resvg: new (svg: string, options: object) => { render(): { asPng(): Uint8Array } };
}

/**
 * Drawn with the font that comes along, so that machines without any show text; fonts of the machine fill in for scripts
 * that it lacks. Throws UsageError naming the package and the way round where it is missing.
 */
export async function toPng(svg: string, load: Load<Resvg> = imported): Promise<Uint8Array> {
  const [{ Resvg }] = await loaded("PNG", ["@resvg/resvg-js"], load);
  const families = { defaultFontFamily: "Inter", sansSerifFamily: "Inter" };
  const font = { fontFiles: [INTER], ...families, loadSystemFonts: !INTER_HAS.test(svg) };
  return new Resvg(svg, { fitTo: { mode: "width", value: PNG_WIDTH }, font }).render().asPng();
}

/** Pixels. */
const PNG_WIDTH = 1680;

/** The parts of pdfkit and svg-to-pdfkit that are used. */
interface PdfPackage {
  readonly default: (new (
    options: object,
  ) => PdfDocument) &
    ((doc: PdfDocument, svg: string, x: number, y: number, options: object) => void);
}

interface PdfDocument {
  on(event: "data" | "end" | "error", listener: (value: never) => void): unknown;
  end(): void;
}

/**
 * A drawing as a page of its own size, in vectors, with the font that comes along in it. Equal drawings give equal bytes. Throws
 * UsageError naming the packages and the way round where they are missing.
 */
export async function toPdf(svg: string, load: Load<PdfPackage> = imported): Promise<Uint8Array> {
  const [{ default: PDFDocument }, { default: drawSvg }] = await loaded("PDF", ["pdfkit", "svg-to-pdfkit"], load);
  const [width, height] = sizeOf(svg);
  const info = { CreationDate: new Date(0), Producer: "lamp-eval", Creator: "lamp-eval" };
  const doc = new PDFDocument({ size: [width, height], margin: 0, font: INTER, info });
  const parts: Uint8Array[] = [];
  const written = new Promise<void>((resolve, reject) => {
    doc.on("data", (part) => parts.push(part));
    doc.on("end", resolve);
    doc.on("error", reject);
  });
  drawSvg(doc, svg, 0, 0, { width, height, assumePt: true, fontCallback: () => INTER });
  doc.end();
  await written;
  return Buffer.concat(parts);
}

/** Width and height of a drawing, in points. */
function sizeOf(svg: string): readonly [number, number] {
  const [, width = "", height = ""] = /<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  if (width === "") throw new UsageError("--picture: the drawing does not say its size (viewBox), so it has no page");
  return [Number(width), Number(height)];
}

type Load<T> = (name: string) => Promise<T>;

/** The name is a variable, not a literal: the compiler and bundlers then ask for no package that an installation may lack. */
const imported = (name: string): Promise<never> => import(/* @vite-ignore */ name) as Promise<never>;

async function loaded<T, const N extends readonly string[]>(
  form: string,
  names: N,
  load: Load<T>,
): Promise<{ readonly [K in keyof N]: T }> {
  try {
    return (await Promise.all(names.map(load))) as { readonly [K in keyof N]: T };
  } catch (error) {
    throw new UsageError(
      `--picture: ${form} needs ${names.join(" and ")} (${firstLine(error)}); npm install ${names.join(" ")}, or name a file that ends in .svg`,
    );
  }
}
