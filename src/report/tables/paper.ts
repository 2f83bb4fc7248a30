import { isSignificant } from "../../statistics/holm.js";
import { countOf, nounOf } from "../../text/count.js";
import type { SweepFacts } from "../../types/index.js";
import { armLabel } from "../arms.js";
import type { Gains } from "../gains.js";
import type { MetricSummary } from "../metric-summary.js";
import { simulatedReason } from "../simulated.js";
import type { Summary } from "../summary.js";
import { type Column, type Estimate, rowsOfItems, type Table } from "../table.js";
import { formatAmount, formatGain, formatScore } from "./format.js";
import { detailsOf, notesOf, type Results, settingsOf, type TaskFacts } from "./results.js";

export interface PaperMaterial extends Results {
  readonly gains: Gains;
  readonly complete: boolean;
  /** Where the arms are those of a sweep: an ablation shows its differences to the full method. */
  readonly sweep?: SweepFacts | undefined;
}

/**
 * The tables that a paper prints: methods by tasks where a run has several tasks, then one table per task and data set with 95 %
 * intervals, and, of an ablation, the differences to the full method. A dagger where the difference to the baseline survives
 * Holm's correction over all tests of the document (p at most .05). What only a log needs stands in the notes.
 */
export function paperTables(material: PaperMaterial): Table[] {
  const significant = new Set(
    material.summaries.flatMap((summary) =>
      (material.gains.of(summary)?.metrics ?? [])
        .filter(({ holm }) => isSignificant(holm))
        .map(({ name }) => testKey(summary, name)),
    ),
  );
  const tables = material.facts.flatMap((fact) => {
    const summaries = material.summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    return summaries.length === 0 ? [] : [taskTable(fact, summaries, significant, material)];
  });
  return tables.length > 1 ? [mainTable(significant, material), ...tables] : tables;
}

const testKey = (summary: Summary, metric: string): string => `${summary.cells.join(" ")}\t${metric}`;

/** Accuracy and F1, MAE and RMSE, ROUGE-1 and ROUGE-L: what the papers' main tables show of a task. */
const MAIN_METRICS = 2;

/** Rows are methods, columns the tasks' first metrics, as the papers print their main tables. */
function mainTable(significant: ReadonlySet<string>, material: PaperMaterial): Table {
  const { facts, summaries } = material;
  const nameOf = (summary: Summary): string =>
    summaries.every(({ model }) => model === summary.model)
      ? armLabel(summary)
      : `${armLabel(summary)} · ${summary.model}`;
  const columns = facts.flatMap((fact) => {
    const ofTask = summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    return (ofTask[0]?.metrics ?? []).slice(0, MAIN_METRICS).map((metric, m) => ({
      ...metricColumn(metric),
      group: fact.title.split(":")[0] ?? fact.title,
      cell(name: string) {
        const summary = ofTask.find((one) => nameOf(one) === name);
        return summary === undefined ? undefined : { ...scoreOf(summary, m, ofTask, significant), interval: undefined };
      },
    }));
  });
  return {
    name: "main",
    title: "Results by method and task",
    warnings: marks(summaries, material),
    ...rowsOfItems(
      [{ title: "Method", cell: (name: string) => name }, ...columns],
      [...new Set(summaries.map(nameOf))],
    ),
    legend: legend(summaries, significant, material),
  };
}

const metricColumn = ({ name, title, better }: MetricSummary): Column => ({
  key: name,
  title: `${title} ${better === "higher" ? "↑" : "↓"}`,
  format: formatScore,
});

function taskTable(
  fact: TaskFacts,
  summaries: readonly Summary[],
  significant: ReadonlySet<string>,
  material: PaperMaterial,
): Table {
  const metrics = summaries[0]?.metrics ?? [];
  const full = fullOf(summaries, material);
  const [one] = summaries;
  const models = [...new Set(summaries.map(({ model }) => model))].join(", ");
  const size = `${countOf(one?.users ?? 0, "user")}, ${countOf(one?.counts.questions ?? 0, "question")}`;
  const isBounded = summaries.some(({ metrics: all }) => all.some(({ interval }) => interval !== undefined));
  return {
    name: `${fact.task}-${fact.dataset}`,
    title: `${fact.title} (${size}; data: ${fact.dataset}; model: ${models})`,
    warnings: marks(summaries, material),
    columns: [{ title: "Method" }, ...metrics.map((metric) => ({ ...metricColumn(metric), interval: isBounded }))],
    rows: summaries.flatMap((summary) => [
      [
        `${armLabel(summary)}${summary.counts.failed > 0 ? "*" : ""}`,
        ...metrics.map((_, m) => scoreOf(summary, m, summaries, significant)),
      ],
      ...(full === undefined || summary === full
        ? []
        : [["difference", ...metrics.map((_, m) => formatGain(differenceOf(summary, full, m)))]]),
    ]),
    legend: [
      ...legend(summaries, significant, material),
      ...(isBounded ? ["Brackets: 95 % intervals over users."] : []),
      ...(full === undefined ? [] : [`Differences are to ${armLabel(full)}.`]),
      ...(summaries.some(({ counts }) => counts.failed > 0)
        ? ["*: some questions failed and are not in the scores."]
        : []),
    ],
    notes: [
      ...summaries.map(
        ({ counts, callsPerQuery, tokensPerQuery, ...summary }) =>
          `${armLabel(summary)}: n=${counts.scored}, ${formatAmount(callsPerQuery)} ${nounOf(callsPerQuery ?? 0, "call")} and ${formatAmount(tokensPerQuery)} tokens a question`,
      ),
      ...notesOf(summaries, fact),
      ...settingsOf(fact),
      ...detailsOf(summaries),
    ],
  };
}

function scoreOf(
  summary: Summary,
  m: number,
  summaries: readonly Summary[],
  significant: ReadonlySet<string>,
): Estimate {
  const metric = summary.metrics[m];
  if (metric === undefined) return { value: undefined };
  const rank = summary.planned === undefined ? rankOf(metric, m, summaries) : undefined;
  return {
    value: metric.strict,
    interval: metric.interval,
    ...(significant.has(testKey(summary, metric.name)) ? { mark: "†" } : {}),
    ...(rank === undefined ? {} : { rank }),
  };
}

/** By the different scores as they are printed: arms that print alike share a rank. The last of them has none. */
function rankOf({ strict, better }: MetricSummary, m: number, summaries: readonly Summary[]): 1 | 2 | undefined {
  const sign = better === "higher" ? -1 : 1;
  const scores = summaries
    .filter(({ planned }) => planned === undefined)
    .flatMap(({ metrics }) => metrics[m]?.strict ?? [])
    .sort((a, b) => sign * (a - b));
  const shown = [...new Set(scores.map((score) => formatScore(score)))];
  const place = shown.indexOf(formatScore(strict));
  return place === 0 && shown.length > 1 ? 1 : place === 1 && shown.length > 2 ? 2 : undefined;
}

const fullOf = (summaries: readonly Summary[], { sweep }: PaperMaterial): Summary | undefined =>
  sweep?.kind === "ablation" ? summaries.find(({ method }) => method === sweep.axes[0]?.base) : undefined;

function differenceOf(summary: Summary, full: Summary, m: number): number | undefined {
  const [score, reference] = [summary.metrics[m]?.strict, full.metrics[m]?.strict];
  return score === undefined || reference === undefined ? undefined : score - reference;
}

/** What no reader may miss. */
const marks = (summaries: readonly Summary[], { complete }: PaperMaterial): string[] => [
  ...(summaries.some((summary) => summary.simulated) ? [`SIMULATED (${simulatedReason})`] : []),
  ...(complete ? [] : ["PARTIAL: the run has not ended"]),
];

/** How to read the marks. */
function legend(
  summaries: readonly Summary[],
  significant: ReadonlySet<string>,
  { gains: { over } }: PaperMaterial,
): string[] {
  const best = "Best in bold, second underlined.";
  const tested = summaries.some(({ method }) => method === over) && summaries.length > 1;
  if (!tested) return [best];
  const marked = summaries.some((summary) =>
    summary.metrics.some(({ name }) => significant.has(testKey(summary, name))),
  );
  return marked
    ? [best, `†: differs from ${over} (paired tests, Holm, p at most .05).`]
    : [best, `No difference to ${over} survives Holm's correction (p at most .05).`];
}
