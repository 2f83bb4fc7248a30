import { join, relative } from "node:path";
import { makePrivateFolder, writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { type Chart, titledSpec } from "../../report/charts/index.js";
import { renderSvg } from "../../report/charts/svg.js";
import { runFiles } from "../../run/run-rows.js";
import type { Io } from "../io.js";
import { chartsOfRun } from "./chart-material.js";
import { pageOf } from "./page.js";
import { toPng } from "./picture.js";
import { readResults, referenceMethod, withFigures } from "./results.js";

/** Charts as files: `.vl.json` to plot again, `.svg`, and `.png` where the package for it is installed. */
export interface SavedFigures {
  /** Absolute. */
  readonly folder: string;
  readonly charts: number;
  readonly files: number;
  /** Why there is no PNG; undefined where there is, or nothing to draw. */
  readonly noPng: string | undefined;
}

/** What a run leaves behind besides its tables: every chart, and the page. Tells where they are. */
export async function writeFiguresAndPage(folder: string, io: Io): Promise<void> {
  const loaded = readResults(folder, io);
  const charts = await chartsOfRun(folder, loaded, referenceMethod);
  const { written, remarks } = saidOf(await saveCharts(folder, charts), io.cwd);
  for (const line of [...written, ...remarks]) io.tell(line);
  const page = join(folder, runFiles.page);
  writeWhole(page, await pageOf(folder, withFigures(folder, loaded), { charts, over: referenceMethod }));
  io.tell(`the page: ${relative(io.cwd, page)}`);
}

/** The files of a chart: the picture with its title, note and SIMULATED mark in it. */
export async function pictureOf(chart: Chart): Promise<{ readonly json: string; readonly svg: string }> {
  const spec = titledSpec(chart);
  return { json: `${JSON.stringify(spec, undefined, 1)}\n`, svg: await renderSvg(spec) };
}

/** Writes charts into the figures folder of a run. */
export async function saveCharts(run: string, charts: readonly Chart[]): Promise<SavedFigures> {
  const folder = join(run, runFiles.figures);
  let [files, noPng]: [number, string | undefined] = [0, undefined];
  if (charts.length > 0) makePrivateFolder(folder);
  const write = (name: string, bytes: string | Uint8Array): void => {
    writeWhole(join(folder, name), bytes);
    files += 1;
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
  return { folder, charts: charts.length, files, noPng };
}

/** Lines that say where figures are, as seen from `cwd`, and what could not be drawn. */
export function saidOf(
  { folder, charts, files, noPng }: SavedFigures,
  cwd: string,
): { readonly written: readonly string[]; readonly remarks: readonly string[] } {
  if (files === 0)
    return { written: [], remarks: ["nothing to draw: no question of this run is answered and scored yet"] };
  return {
    written: [`${charts} figures (${files} files) in ${relative(cwd, folder) || "."}`],
    remarks: noPng === undefined ? [] : [`SVG only: ${noPng}`],
  };
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
