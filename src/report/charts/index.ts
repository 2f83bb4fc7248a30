import * as all from "./all.js";
import type { Chart, ChartSection } from "./chart.js";
import type { ChartMaterial } from "./material.js";

export type { Chart, ChartSection } from "./chart.js";
export type { ChartMaterial, PersonaSet } from "./material.js";
export { bareSpec, titledSpec } from "./titled.js";

/** Draws one kind of chart: none, one, or one per task. Empty material gives no chart, never an empty frame. */
export type ChartKind = (material: ChartMaterial) => Chart[];

/** Every chart that the material can fill, in the order of the sections. */
export function chartsOf(material: ChartMaterial): Chart[] {
  const charts = Object.values<ChartKind>(all).flatMap((kind) => kind(material));
  return charts.sort((a, b) => order.indexOf(a.section) - order.indexOf(b.section));
}

const order: readonly ChartSection[] = ["overview", "tasks", "sweep", "users", "persona"];
