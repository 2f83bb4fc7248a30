import { ablation } from "./ablation.js";
import type { Chart, ChartMaterial, ChartSection } from "./chart.js";
import { confusion } from "./confusion.js";
import { factsOverTurns, stream, verdictsOverTurns } from "./over-time.js";
import { outcomes, overview, taskMethod } from "./overview.js";
import { pareto } from "./pareto.js";
import { perUser } from "./per-user.js";
import { personaJaccard, personaMap } from "./personas.js";
import { scaling } from "./scaling.js";
import { utilities } from "./utilities.js";

export type { Chart, ChartMaterial, ChartSection, PersonaSet } from "./chart.js";
export { bareSpec, titledSpec } from "./svg.js";

/** Draws one kind of chart: none, one, or one per task. Empty material gives no chart, never an empty frame. */
type ChartKind = (material: ChartMaterial) => Chart[];

/** Every chart that the material can fill, in the order of the sections. */
export function chartsOf(material: ChartMaterial): Chart[] {
  const charts = kinds.flatMap((kind) => kind(material));
  return charts.sort((a, b) => order.indexOf(a.section) - order.indexOf(b.section));
}

const order: readonly ChartSection[] = ["cost", "overview", "tasks", "sweep", "users", "persona"];

/** In the order of a section. A new chart: its file, and its name here. */
const kinds: readonly ChartKind[] = [
  ablation,
  confusion,
  factsOverTurns,
  outcomes,
  overview,
  pareto,
  perUser,
  personaJaccard,
  personaMap,
  scaling,
  stream,
  taskMethod,
  utilities,
  verdictsOverTurns,
];
