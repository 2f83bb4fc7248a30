import { ablation } from "./ablation.js";
import type { Chart, ChartKind, ChartMaterial } from "./chart.js";
import { confusion } from "./confusion.js";
import { cost } from "./cost.js";
import { gains } from "./gains.js";
import { perUser } from "./per-user.js";
import { personaMap } from "./persona-map.js";
import { scaling } from "./scaling.js";

/** Every kind by the name that it is asked for. A new chart: its file, and a line here. */
const kinds = {
  gains,
  scaling,
  ablation,
  cost,
  "per-user": perUser,
  confusion,
  "persona-map": personaMap,
} satisfies Readonly<Record<string, ChartKind>>;

export type ChartName = keyof typeof kinds;
export const chartNames = Object.keys(kinds) as ChartName[];

/** The charts of one kind that the material can fill. */
export const drawCharts = async (kind: ChartName, material: ChartMaterial): Promise<Chart[]> => kinds[kind](material);
