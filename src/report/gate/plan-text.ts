import type { Metric } from "../../types.js";
import { dash, type Table } from "../table.js";
import { formatAmount, formatScore } from "../tables/format.js";
import { renderText } from "../tables/text.js";
import type { BaselineArm } from "./baseline.js";
import type { GatedQuestion } from "./pairs.js";
import { type PlannedMargins, planOf } from "./planner.js";

/** What a run could be gated at, were it a baseline. */
export interface PlanLine {
  readonly task: string;
  readonly method: string;
  readonly metric: string;
  readonly users: number;
  readonly questions: number;
  /** Assumed share of answers drawn anew; undefined where the run's own repeats tell the noise. */
  readonly noise: number | undefined;
  /** Margins that an unchanged run passes in about 80 of 100 cases. Undefined where the metric cannot be tested. */
  readonly margins: PlannedMargins | undefined;
  /** Users like these for a margin of a twentieth of the metric's range under `users`. Undefined above 5,000. */
  readonly usersForTwentieth: number | undefined;
  readonly twentieth: number;
}

/** `noise` undefined: from the repeats. */
export function planLine(
  { task, method }: BaselineArm,
  metric: Metric,
  questions: readonly GatedQuestion[],
  { alpha, noise }: { readonly alpha: number; readonly noise: number | undefined },
): PlanLine {
  const plan = planOf(metric, questions, { alpha, noise: noise ?? 0 });
  const twentieth = (metric.most ?? 1) / 20;
  return {
    task,
    method,
    metric: metric.name,
    users: new Set(questions.map(({ user }) => user)).size,
    questions: questions.length,
    noise,
    margins: plan?.margins,
    usersForTwentieth: plan?.neededUsers("users", twentieth),
    twentieth,
  };
}

/** A table, and what its numbers are. */
export function renderPlan(lines: readonly PlanLine[]): string {
  const titles = [
    "task",
    "method",
    "metric",
    "drawn anew",
    "margin: set",
    "users",
    "users needed",
    "for margin",
    "n",
    "users asked",
  ];
  const table: Table = {
    columns: titles.map((title, t) => ({ title, align: t < 3 ? "left" : "right" })),
    rows: lines.map((line) => [
      line.task,
      line.method,
      line.metric,
      line.noise === undefined ? "repeats" : formatScore(line.noise),
      formatScore(line.margins?.set),
      formatScore(line.margins?.users),
      formatAmount(line.usersForTwentieth),
      line.margins === undefined ? dash : formatScore(line.twentieth),
      formatAmount(line.questions),
      formatAmount(line.users),
    ]),
  };
  return [renderText(table), ...LEGEND].join("\n");
}

const LEGEND = [
  "margin: what an unchanged run passes in about 80 of 100 cases, under the claim about this set and about users drawn like these",
  "drawn anew: assumed share of answers that another run of the same would draw anew; repeats: measured between the run's own",
  "users needed: users like these, with as many questions each, that let an unchanged run pass at that margin under --claim users (a dash: more than 5,000)",
];
