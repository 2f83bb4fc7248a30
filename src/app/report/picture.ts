import { extname, resolve } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { INTER, INTER_HAS, toPdf } from "./pdf.js";

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
export async function toPng(svg: string, load: () => Promise<unknown> = importPackage): Promise<Uint8Array> {
  const { Resvg } = await importResvg(load);
  const font = { ...inter, loadSystemFonts: !INTER_HAS.test(svg) };
  const options = { fitTo: { mode: "width", value: PNG_WIDTH }, font };
  return new Resvg(svg, options).render().asPng();
}

/** A variable, not a literal: the compiler and bundlers then ask for no package that an installation may lack. */
const PACKAGE: string = "@resvg/resvg-js";

const inter = {
  fontFiles: [INTER],
  defaultFontFamily: "Inter",
  sansSerifFamily: "Inter",
};
/** Pixels. */
const PNG_WIDTH = 1680;

const importPackage = (): Promise<unknown> => import(/* @vite-ignore */ PACKAGE);

async function importResvg(load: () => Promise<unknown>): Promise<Resvg> {
  try {
    return (await load()) as Resvg;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new UsageError(
      `--picture: PNG needs ${PACKAGE} (${reason}); npm install ${PACKAGE}, or name a file that ends in .svg`,
    );
  }
}
