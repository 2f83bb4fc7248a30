import { methodLabel } from "../arms.js";
import { correct, type TestedArms, TOO_NARROW } from "../compare/compare.js";
import type { MetricSummary } from "../metric-summary.js";
import { headingMark } from "../simulated.js";
import type { Summary } from "../summary.js";
import { dash, type Table } from "../table.js";
import { formatAmount, formatCost, formatP, formatScore } from "../tables/format.js";
import {
  compareHeadlines,
  differenceOf,
  perTask,
  type SummaryAtPoint,
  type SweepMaterial,
  scoreOf,
  type TitledTable,
} from "./points.js";

/** The full method, and each of its ablations as a paired difference to it; p after Holm over all of them. */
export function ablationTables(material: SweepMaterial): TitledTable[] {
  const full = material.sweep.axes.find(({ knob }) => knob === "method")?.base;
  const groups = perTask(material).flatMap(({ fact, points }) =>
    points
      .filter(({ summary }) => summary.method === full)
      .map(({ summary: reference, axes }) => ({
        fact,
        reference,
        others: points
          .filter((point) => isPeer(point, { summary: reference, axes }))
          .map(({ summary }) => ({ summary, comparison: compareHeadlines(reference, summary, material) })),
      })),
  );
  const compared = groups.flatMap(({ others }) => others.flatMap(({ comparison }) => comparison ?? []));
  const corrected = correct(compared);
  const correctedOf = new Map(compared.map((comparison, c) => [comparison, corrected[c]]));
  const family = corrected.filter(({ metrics }) => metrics[0]?.holm !== undefined).length;
  return groups.map(({ fact, reference, others }) => {
    const model = new Set(material.summaries.map((summary) => summary.model)).size > 1 ? reference.model : "";
    const title = `ablation of ${full} on ${fact.title}${model === "" ? "" : ` · ${model}`}`;
    const rows = [
      ablationRow(reference, undefined),
      ...others.map(({ summary, comparison }) => ablationRow(summary, comparison && correctedOf.get(comparison))),
    ];
    return {
      title: `${title}${headingMark([reference])}`,
      table: { columns: ablationColumns(reference.metrics), rows },
      notes: [ablationNote(reference.metrics[0], family)],
    };
  });
}

const ablationColumns = ([headline, ...others]: readonly MetricSummary[]): Table["columns"] => [
  { title: "method", align: "left" },
  ...[
    ...[`${headline?.name} [95 %]`, "delta to full [95 %]", "p Holm", "W/T/L"],
    ...others.map(({ name }) => name),
    ...["calls/user", "tok/user", "cost"],
  ].map((title) => ({ title, align: "right" }) as const),
];

/** `family`: how many ps the correction is over. */
function ablationNote(headline: MetricSummary | undefined, family: number): string {
  const worse = headline?.better === "lower" ? "a delta above 0 is worse" : "a delta below 0 is worse";
  return `${worse}; its 95 % interval is over users, ${TOO_NARROW}; W/T/L: users for whom it is better, equal, worse than the full method; p over ${family} comparison${family === 1 ? "" : "s"}`;
}

/** Whether two arms differ in the method only: same model, same values on all other axes. */
function isPeer(point: SummaryAtPoint, reference: SummaryAtPoint): boolean {
  const { method, ...others } = point.axes;
  const { method: full, ...base } = reference.axes;
  return (
    method !== full &&
    point.summary.model === reference.summary.model &&
    Object.entries(others).every(([knob, value]) => base[knob] === value)
  );
}

function ablationRow(summary: Summary, comparison: TestedArms | undefined): string[] {
  const metric = comparison?.metrics[0];
  return [
    methodLabel(summary),
    scoreOf(summary),
    differenceOf(comparison),
    formatP(metric?.holm),
    metric === undefined ? dash : `${metric.perUser.wins}/${metric.perUser.ties}/${metric.perUser.losses}`,
    ...summary.metrics.slice(1).map(({ strict }) => formatScore(strict)),
    formatAmount(summary.callsPerUser),
    formatAmount(summary.tokensPerUser),
    formatCost(summary),
  ];
}
