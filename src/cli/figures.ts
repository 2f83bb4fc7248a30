import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { UsageError } from "../errors.js";
import { type Chart, chartsOf } from "../report/charts/index.js";
import { renderSvg } from "../report/svg.js";
import { runFiles } from "../run/run-rows.js";
import { chartMaterial } from "./chart-material.js";
import { htmlReport } from "./html-report.js";
import type { Io } from "./io.js";
import { toPng } from "./picture.js";
import { type LoadedResults, loadResults, pageFile } from "./report.js";

/**
 * Writes every chart into the folder of figures: NAME.vl.json to plot again, NAME.svg, and with `png` NAME.png where the
 * package for it is installed. Returns the paths from the run folder, and what could not be drawn.
 */
export async function writeFigures(
  folder: string,
  charts: readonly Chart[],
  { png }: { readonly png: boolean },
): Promise<{ readonly written: readonly string[]; readonly noPng: string | undefined }> {
  const written: string[] = [];
  let noPng: string | undefined;
  if (charts.length > 0) mkdirSync(join(folder, runFiles.figures), { recursive: true });
  const write = (name: string, bytes: string | Uint8Array): void => {
    writeFileSync(join(folder, runFiles.figures, name), bytes);
    written.push(`${runFiles.figures}/${name}`);
  };
  for (const { name, spec } of charts) {
    write(`${name}.vl.json`, `${JSON.stringify(spec, undefined, 1)}\n`);
    const svg = await renderSvg(spec);
    write(`${name}.svg`, svg);
    if (!png || noPng !== undefined) continue;
    const bytes = await pngOf(svg);
    if (typeof bytes === "string") noPng = bytes;
    else write(`${name}.png`, bytes);
  }
  return { written, noPng };
}

/** Draws all charts of a run and says where they are. */
export async function drawFigures(folder: string, results: LoadedResults, io: Io): Promise<void> {
  const charts = chartsOf(await chartMaterial(folder, results));
  await drawInto(folder, charts, io);
}

/** What a run leaves behind besides its tables: every chart, and the page. Told on stderr: stdout has the tables. */
export async function writeFiguresAndPage(folder: string, io: Io): Promise<void> {
  await drawFigures(folder, loadResults(folder), { ...io, out: io.err });
  const page = join(folder, pageFile);
  writeFileSync(page, await htmlReport(folder, loadResults(folder)));
  io.err(`the page: ${relative(io.cwd, page)}`);
}

/** Writes charts, pictures for documents too, and says where they are. */
export async function drawInto(folder: string, charts: readonly Chart[], io: Io): Promise<void> {
  const { written, noPng } = await writeFigures(folder, charts, { png: true });
  const place = relative(io.cwd, join(folder, runFiles.figures));
  if (written.length === 0) io.err("nothing to draw: no question of this run is answered and scored yet");
  else io.out(`${charts.length} figures (${written.length} files) in ${place === "" ? "." : place}`);
  if (noPng !== undefined) io.err(`SVG only: ${noPng}`);
}

// --- internal ---

/** The picture, or why there is none. */
async function pngOf(svg: string): Promise<Uint8Array | string> {
  try {
    return await toPng(svg);
  } catch (error) {
    if (error instanceof UsageError) return error.message.replace(/^--picture: /, "");
    throw error;
  }
}
