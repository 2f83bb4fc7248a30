import { join, relative } from "node:path";
import { makePrivateFolder, writeWhole } from "../../disk/whole-file.js";
import { bareSpec, type Chart, titledSpec } from "../../report/charts/index.js";
import { renderSvg } from "../../report/charts/svg.js";
import { runFiles } from "../../run/run-files.js";
import { countOf } from "../../text/count.js";

/** Charts as files: `.svg`, and `.vl.json` to plot again. */
export interface SavedFigures {
  /** Absolute. */
  readonly folder: string;
  readonly charts: number;
}

export interface FigureSettings {
  /** Without title and note, for a text that has a caption of its own: in a folder beside the others. Default: false. */
  readonly bare?: boolean | undefined;
}

/** In the figures folder: the pictures without title and note. */
const BARE = "bare";

/** The files of a chart: the picture with its title, note and SIMULATED mark in it; a bare one has the mark alone. */
async function pictureOf(chart: Chart, bare = false): Promise<{ readonly json: string; readonly svg: string }> {
  const spec = bare ? bareSpec(chart) : titledSpec(chart);
  return { json: `${JSON.stringify(spec, undefined, 1)}\n`, svg: await renderSvg(spec) };
}

/** Writes charts into the figures folder of a run. */
export async function saveCharts(
  run: string,
  charts: readonly Chart[],
  { bare = false }: FigureSettings = {},
): Promise<SavedFigures> {
  const folder = join(run, runFiles.figures, ...(bare ? [BARE] : []));
  if (charts.length > 0) makePrivateFolder(folder);
  for (const chart of charts) {
    const { json, svg } = await pictureOf(chart, bare);
    writeWhole(join(folder, `${chart.name}.vl.json`), json);
    writeWhole(join(folder, `${chart.name}.svg`), svg);
  }
  return { folder, charts: charts.length };
}

/** A line that says where figures are, as seen from `cwd`, or why there is none. */
export const figureLine = ({ folder, charts }: SavedFigures, cwd: string): string =>
  charts === 0
    ? "nothing to draw: no question of this run is answered and scored yet"
    : `${countOf(charts, "figure")} in ${relative(cwd, folder) || "."}`;
