import type { Metric } from "../../types/index.js";
import type { PairedQuestion } from "../paired.js";
import { type ColumnOf, rowsOfItems } from "../table.js";
import { formatAmount, formatScore } from "../tables/format.js";
import { renderText } from "../tables/text.js";
import type { BaselineArm } from "./baseline.js";
import { type PlannedMargins, planOf } from "./planner.js";

/** What a run could be gated at, were it a baseline. */
export interface PlanLine {
  readonly task: string;
  readonly method: string;
  readonly metric: string;
  /** Assumed share of answers drawn anew; undefined where the run's own repeats tell the noise. */
  readonly noise: number | undefined;
  /** Margins that an unchanged run passes in about 80 of 100 cases. Undefined where the metric cannot be tested. */
  readonly margins: PlannedMargins | undefined;
  /** The loss that is shown in about 80 of 100 runs that have it. */
  readonly detects: number | undefined;
  /** Users like these for a margin of a twentieth of the metric's range under `users`. Undefined above 5,000. */
  readonly usersForTwentieth: number | undefined;
}

/** `noise` undefined: from the repeats. */
export function planLine(
  { task, method }: BaselineArm,
  metric: Metric,
  questions: readonly PairedQuestion[],
  { alpha, noise }: { readonly alpha: number; readonly noise: number | undefined },
): PlanLine {
  const plan = planOf(metric, questions, { alpha, noise: noise ?? 0 });
  return {
    task,
    method,
    metric: metric.name,
    noise,
    margins: plan?.margins,
    detects: plan?.detects,
    usersForTwentieth: plan?.neededUsers("users", (metric.most ?? 1) / 20),
  };
}

/** A table, and what its numbers are. */
export const renderPlan = (lines: readonly PlanLine[]): string =>
  [renderText(rowsOfItems(columns, lines)), ...LEGEND].join("\n");

const columns: readonly ColumnOf<PlanLine>[] = [
  { title: "task", cell: ({ task }) => task },
  { title: "method", cell: ({ method }) => method },
  { title: "metric", cell: ({ metric }) => metric },
  { title: "noise", align: "right", format: formatScore, cell: ({ noise }) => noise ?? "repeats" },
  { title: "margin (set)", format: formatScore, cell: ({ margins }) => margins?.set },
  { title: "margin (users)", format: formatScore, cell: ({ margins }) => margins?.users },
  { title: "detects", format: formatScore, cell: ({ detects }) => detects },
  { title: "users needed", format: formatAmount, cell: ({ usersForTwentieth }) => usersForTwentieth },
];

const LEGEND = [
  "margin: what an unchanged run passes in about 80 of 100 cases, by --claim set and --claim users",
  "detects: the loss on these questions that fails in about 80 of 100 runs that have it, where the margin is no wider",
  "noise: assumed share of answers that another run would change; repeats: measured between the run's own",
  "users needed: users like these for a margin of a twentieth of the metric's range by --claim users (a dash: more than 5,000)",
];
