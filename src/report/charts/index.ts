import { ablation } from "./ablation.js";
import type { Chart, ChartMaterial, ChartSection } from "./chart.js";
import { confusion } from "./confusion.js";
import { pareto } from "./pareto.js";
import { perUser } from "./per-user.js";
import { personaMap } from "./personas.js";
import { scaling } from "./scaling.js";

export type { Chart, ChartMaterial, ChartSection, PersonaSet } from "./chart.js";
export { bareSpec, titledSpec } from "./svg.js";

/** Draws one kind of chart: none, one, or one per task. Empty material gives no chart, never an empty frame. */
type ChartKind = (material: ChartMaterial) => Chart[];

/** Every chart that the material can fill, in the order of the sections. */
export function chartsOf(material: ChartMaterial): Chart[] {
  const charts = kinds.flatMap((kind) => kind(material));
  return charts.sort((a, b) => order.indexOf(a.section) - order.indexOf(b.section));
}

const order: readonly ChartSection[] = ["cost", "tasks", "sweep", "users", "persona"];

/** In the order of a section. A new chart: its file, and its name here. */
const kinds: readonly ChartKind[] = [ablation, confusion, pareto, perUser, personaMap, scaling];
