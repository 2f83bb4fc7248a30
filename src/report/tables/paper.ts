import { armLabel } from "../../results/arms.js";
import { type Gains, gainEstimate, markedP, pLegend } from "../../results/gains.js";
import type { MetricSummary } from "../../results/metric-summary.js";
import type { Summary } from "../../results/summary.js";
import { countOf, nounOf } from "../../text/count.js";
import { simulatedReason } from "../simulated.js";
import { type Column, type Estimate, rowsOfItems, type Table } from "../table.js";
import { formatAmount, formatGain, formatP, formatScore } from "./format.js";
import { detailsOf, notesOf, type Results, settingsOf, type TaskFacts } from "./results.js";

export interface PaperMaterial extends Results {
  readonly gains: Gains;
  readonly complete: boolean;
}

/**
 * The tables that a paper prints: methods by tasks where a run has several tasks, then one table per task and data set with 95 %
 * intervals and the gains over the reference. What only a log needs stands in the notes.
 */
export function paperTables(material: PaperMaterial): Table[] {
  const tables = material.facts.flatMap((fact) => {
    const summaries = material.summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    return summaries.length === 0 ? [] : [taskTable(fact, summaries, material)];
  });
  return tables.length > 1 ? [mainTable(material), ...tables] : tables;
}

/** Accuracy and F1, MAE and RMSE, ROUGE-1 and ROUGE-L: what the papers' main tables show of a task. */
const MAIN_METRICS = 2;

/** Rows are methods, columns the tasks' first metrics, as the papers print their main tables. */
function mainTable(material: PaperMaterial): Table {
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
        if (summary === undefined) return undefined;
        const mark = m === 0 ? markedP(material.gains.of(summary))?.mark : undefined;
        return { ...scoreOf(summary, m, ofTask), interval: undefined, ...(mark === undefined ? {} : { mark }) };
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
    legend: [BEST, ...pLegend(material.gains.of, summaries)],
  };
}

const metricColumn = ({ name, title, better }: MetricSummary): Column => ({
  key: name,
  title: `${title} ${better === "higher" ? "↑" : "↓"}`,
  format: formatScore,
});

function taskTable(fact: TaskFacts, summaries: readonly Summary[], material: PaperMaterial): Table {
  const metrics = summaries[0]?.metrics ?? [];
  const { gains } = material;
  const isCompared = summaries.some((summary) => gains.of(summary) !== undefined);
  const [one] = summaries;
  const models = [...new Set(summaries.map(({ model }) => model))].join(", ");
  const size = `${countOf(one?.users ?? 0, "user")}, ${countOf(one?.counts.questions ?? 0, "question")}`;
  const isBounded = summaries.some(({ metrics: all }) => all.some(({ interval }) => interval !== undefined));
  return {
    name: `${fact.task}-${fact.dataset}`,
    title: `${fact.title} (${size}; data: ${fact.dataset}; model: ${models})`,
    warnings: marks(summaries, material),
    columns: [
      { title: "Method" },
      ...metrics.map((metric) => ({ ...metricColumn(metric), interval: isBounded })),
      ...(isCompared
        ? [
            { key: "gain", title: `Gain over ${gains.over}`, format: formatGain, interval: isBounded },
            { key: "p", title: "p", format: formatP },
          ]
        : []),
    ],
    rows: summaries.map((summary) => [
      `${armLabel(summary)}${summary.counts.failed > 0 ? "‡" : ""}`,
      ...metrics.map((_, m) => scoreOf(summary, m, summaries)),
      ...(isCompared ? [gainEstimate(gains.of(summary)), markedP(gains.of(summary))] : []),
    ]),
    legend: [
      BEST,
      ...(isBounded ? ["Brackets: 95 % intervals over users."] : []),
      ...(isCompared
        ? [`Gains are in ${metrics[0]?.title}; positive is better.`, ...pLegend(gains.of, summaries)]
        : []),
      ...(summaries.some(({ counts }) => counts.failed > 0)
        ? ["‡: some questions failed and are not in the scores."]
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

function scoreOf(summary: Summary, m: number, summaries: readonly Summary[]): Estimate {
  const metric = summary.metrics[m];
  if (metric === undefined) return { value: undefined };
  const rank = summary.planned === undefined ? rankOf(metric, m, summaries) : undefined;
  return {
    value: metric.strict,
    interval: metric.interval,
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

/** What no reader may miss. */
const marks = (summaries: readonly Summary[], { complete }: PaperMaterial): string[] => [
  ...(summaries.some((summary) => summary.simulated) ? [`SIMULATED (${simulatedReason})`] : []),
  ...(complete ? [] : ["PARTIAL: the run has not ended"]),
];

const BEST = "Best in bold, second underlined.";
