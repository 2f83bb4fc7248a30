import { fileURLToPath } from "node:url";
import { UsageError } from "../../errors.js";

/** The file of the font that comes along: pictures look alike on every machine, also on one without fonts. */
export const INTER = fileURLToPath(new URL("../../../src/report/charts/fonts/Inter-Regular.otf", import.meta.url));

/**
 * Texts all of whose letters the font has (Latin but for phonetic letters, Greek, Cyrillic of living languages): to look through
 * the fonts of a machine takes longer than to draw.
 */
export const INTER_HAS =
  /^[\n -~\u00a0-\u0148\u014a-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u0391-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490-\u0493\u2010-\u2027\u2030-\u203a\u2212]*$/;

/** The parts of pdfkit and svg-to-pdfkit that are used. */
interface PdfPackages {
  readonly PDFDocument: new (options: object) => PdfDocument;
  readonly drawSvg: (doc: PdfDocument, svg: string, x: number, y: number, options: object) => void;
}

interface PdfDocument {
  on(event: "data", listener: (part: Uint8Array) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  end(): void;
}

/**
 * A drawing as a page of its own size, in vectors, with the font that comes along in it. Equal drawings give equal bytes. Throws
 * UsageError naming the packages and the way round where they are missing.
 */
export async function toPdf(svg: string, load: () => Promise<PdfPackages> = importPackages): Promise<Uint8Array> {
  const { PDFDocument, drawSvg } = await packages(load);
  const size = sizeOf(svg);
  const doc = new PDFDocument({
    size,
    margin: 0,
    font: INTER,
    info: { CreationDate: new Date(0), Producer: "lamp-eval", Creator: "lamp-eval" },
  });
  const parts: Uint8Array[] = [];
  const written = new Promise<void>((resolve, reject) => {
    doc.on("data", (part) => parts.push(part));
    doc.on("end", resolve);
    doc.on("error", reject);
  });
  drawSvg(doc, svg, 0, 0, { width: size[0], height: size[1], assumePt: true, fontCallback: () => INTER });
  doc.end();
  await written;
  return Buffer.concat(parts);
}

/** Variables, not literals: the compiler and bundlers then ask for no package that an installation may lack. */
const [DOCUMENT, DRAWING]: readonly [string, string] = ["pdfkit", "svg-to-pdfkit"];

/** Width and height of a drawing, in points. */
function sizeOf(svg: string): [number, number] {
  const [, width = "", height = ""] = /<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  if (width === "") throw new UsageError("--picture: the drawing does not say its size (viewBox), so it has no page");
  return [Number(width), Number(height)];
}

async function importPackages(): Promise<PdfPackages> {
  const [pdfkit, drawing] = (await Promise.all([
    import(/* @vite-ignore */ DOCUMENT),
    import(/* @vite-ignore */ DRAWING),
  ])) as [{ default: PdfPackages["PDFDocument"] }, { default: PdfPackages["drawSvg"] }];
  return { PDFDocument: pdfkit.default, drawSvg: drawing.default };
}

async function packages(load: () => Promise<PdfPackages>): Promise<PdfPackages> {
  try {
    return await load();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new UsageError(
      `--picture: PDF needs ${DOCUMENT} and ${DRAWING} (${reason}); npm install ${DOCUMENT} ${DRAWING}, or name a file that ends in .svg`,
    );
  }
}
