import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { UsageError } from "../../errors.js";
import { type Chart, titledSpec } from "../../report/charts/index.js";
import { renderSvg } from "../../report/charts/svg.js";
import { runFiles } from "../../run/run-rows.js";
import type { Io } from "../io.js";
import { chartsOfRun, drawn } from "./draw-charts.js";
import { htmlReport } from "./page.js";
import { toPng } from "./picture.js";
import { loadResults, referenceMethod, withFigures } from "./results.js";

/** What a run leaves behind besides its tables: every chart, and the page. Told on stderr: stdout has the tables. */
export async function writeFiguresAndPage(folder: string, io: Io): Promise<void> {
  const loaded = loadResults(folder);
  const charts = await chartsOfRun(folder, loaded, referenceMethod);
  await saveCharts(folder, charts, io, (text) => io.tell(text));
  const page = join(folder, runFiles.page);
  writeFileSync(
    page,
    htmlReport(folder, withFigures(folder, loaded), { drawn: await drawn(charts), over: referenceMethod }),
  );
  io.tell(`the page: ${relative(io.cwd, page)}`);
}

/** What stands in the files of a chart: its title, its note and the SIMULATED mark go with it. */
export async function pictureOf(chart: Chart): Promise<{ readonly json: string; readonly svg: string }> {
  const spec = titledSpec(chart);
  return { json: `${JSON.stringify(spec, undefined, 1)}\n`, svg: await renderSvg(spec) };
}

/** Writes charts into the figures folder, and tells `say` where they are; what cannot be drawn is told on stderr. */
export async function saveCharts(
  folder: string,
  charts: readonly Chart[],
  io: Io,
  say: (text: string) => void,
): Promise<void> {
  const { written, noPng } = await writeCharts(folder, charts);
  const place = relative(io.cwd, join(folder, runFiles.figures)) || ".";
  if (written === 0) io.tell("nothing to draw: no question of this run is answered and scored yet");
  else say(`${charts.length} figures (${written} files) in ${place}`);
  if (noPng !== undefined) io.tell(`SVG only: ${noPng}`);
}

// --- internal ---

/**
 * NAME.vl.json to plot again, NAME.svg, and NAME.png where the package for it is installed. Returns how many files there
 * are, and why there is no PNG.
 */
async function writeCharts(
  folder: string,
  charts: readonly Chart[],
): Promise<{ readonly written: number; readonly noPng: string | undefined }> {
  let [written, noPng]: [number, string | undefined] = [0, undefined];
  if (charts.length > 0) mkdirSync(join(folder, runFiles.figures), { recursive: true });
  const write = (name: string, bytes: string | Uint8Array): void => {
    writeFileSync(join(folder, runFiles.figures, name), bytes);
    written += 1;
  };
  for (const chart of charts) {
    const { json, svg } = await pictureOf(chart);
    write(`${chart.name}.vl.json`, json);
    write(`${chart.name}.svg`, svg);
    if (noPng !== undefined) continue;
    const bytes = await pngOf(svg);
    if (typeof bytes === "string") noPng = bytes;
    else write(`${chart.name}.png`, bytes);
  }
  return { written, noPng };
}

/** The picture, or why there is none. */
async function pngOf(svg: string): Promise<Uint8Array | string> {
  try {
    return await toPng(svg);
  } catch (error) {
    if (error instanceof UsageError) return error.message.replace(/^--picture: /, "");
    throw error;
  }
}
