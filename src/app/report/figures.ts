import { join, relative } from "node:path";
import { makePrivateFolder, writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { bareSpec, type Chart, titledSpec } from "../../report/charts/index.js";
import { renderSvg } from "../../report/charts/svg.js";
import { runFiles } from "../../run/run-files.js";
import { countOf } from "../../text/count.js";
import { toPdf, toPng } from "./picture.js";

/** Charts as files: `.vl.json` to plot again, `.svg`, and `.png` and `.pdf` where the packages for them are installed. */
export interface SavedFigures {
  /** Absolute. */
  readonly folder: string;
  readonly charts: number;
  readonly files: number;
  /** Why a form is missing, a line each. */
  readonly missing: readonly string[];
}

export interface FigureSettings {
  /** Without title and note, for a text that has a caption of its own: in a folder beside the others. Default: false. */
  readonly bare?: boolean | undefined;
}

/** In the figures folder: the pictures without title and note. */
const BARE = "bare";

/** The files of a chart: the picture with its title, note and SIMULATED mark in it; a bare one has the mark alone. */
export async function pictureOf(chart: Chart, bare = false): Promise<{ readonly json: string; readonly svg: string }> {
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
  const missing = new Map<string, string>();
  let files = 0;
  if (charts.length > 0) makePrivateFolder(folder);
  const write = (name: string, bytes: string | Uint8Array): void => {
    writeWhole(join(folder, name), bytes);
    files += 1;
  };
  const convert = async (name: string, form: "png" | "pdf", svg: string): Promise<void> => {
    if (missing.has(form)) return;
    const bytes = await converted(svg, form);
    if (typeof bytes === "string") missing.set(form, bytes);
    else write(`${name}.${form}`, bytes);
  };
  for (const chart of charts) {
    const { json, svg } = await pictureOf(chart, bare);
    write(`${chart.name}.vl.json`, json);
    write(`${chart.name}.svg`, svg);
    await convert(chart.name, "png", svg);
    await convert(chart.name, "pdf", svg);
  }
  return { folder, charts: charts.length, files, missing: [...missing.values()] };
}

/** Lines that say where figures are, as seen from `cwd`, and what could not be drawn. */
export function figureLines(
  { folder, charts, files, missing }: SavedFigures,
  cwd: string,
): { readonly written: readonly string[]; readonly remarks: readonly string[] } {
  if (files === 0)
    return { written: [], remarks: ["nothing to draw: no question of this run is answered and scored yet"] };
  return {
    written: [`${countOf(charts, "figure")} (${countOf(files, "file")}) in ${relative(cwd, folder) || "."}`],
    remarks: missing.map((why) => `a form is missing: ${why}`),
  };
}

/** The picture, or why there is none. */
async function converted(svg: string, form: "png" | "pdf"): Promise<Uint8Array | string> {
  try {
    return await (form === "png" ? toPng(svg) : toPdf(svg));
  } catch (error) {
    if (error instanceof UsageError) return error.message.replace(/^--picture: /, "");
    throw error;
  }
}
