import { gainsOver } from "../../results/compare.js";
import { fullMethod } from "../sweep.js";
import type { Chart, ChartInput } from "./chart.js";
import { gains } from "./gains.js";

/** The paired difference of each ablation to the full method; one chart a task. */
export function ablation(input: ChartInput): Chart[] {
  const full = fullMethod(input.sweep);
  if (full === undefined) return [];
  return gains({ ...input, gains: gainsOver(full, input) }).map((chart) => ({
    ...chart,
    name: chart.name.replace("gains-", "ablation-"),
    title: chart.title.replace("Gain over", "Ablation of"),
    note: `Left of the line: worse without that part. ${chart.note}`,
  }));
}
