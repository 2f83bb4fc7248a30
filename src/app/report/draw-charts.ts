import { type Chart, chartsOf } from "../../report/charts/index.js";
import { renderSvg } from "../../report/charts/svg.js";
import type { DrawnChart } from "../../report/page/sections.js";
import { chartMaterial } from "./chart-material.js";
import type { LoadedResults } from "./results.js";

/** Every chart of a run, for the page and the figures folder alike. Gains of users are those over `over`. */
export async function chartsOfRun(folder: string, results: LoadedResults, over: string): Promise<Chart[]> {
  return chartsOf(await chartMaterial(folder, results, { over }));
}

/** These charts as pictures of a page, whose captions say what they show. */
export async function drawn(charts: readonly Chart[]): Promise<DrawnChart[]> {
  const pictures: DrawnChart[] = [];
  for (const chart of charts) pictures.push({ chart, svg: await renderSvg(chart.spec) });
  return pictures;
}
