import { armLabel } from "../arms.js";
import type { MetricSummary } from "../metric-summary.js";
import { sparseLabelRemarks } from "../sparse-labels.js";
import type { Summary } from "../summary.js";
import { dash } from "../table.js";
import { formatAmount, formatCost, formatScore } from "../tables/format.js";
import { contextOf, footnotes, type Results, sampleSize, type TaskFacts } from "../tables/results.js";
import { type Cell, type Column, html, type Markup, scoreCell, sortableTable } from "./markup.js";

/** One sortable table a task and data set. */
export function resultsTables({ summaries, facts }: Results): Markup {
  return html`${facts.map((fact) => {
    const taskSummaries = summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    const notes = [
      ...footnotes(taskSummaries, fact),
      ...sparseLabelRemarks(taskSummaries.flatMap(({ metrics }) => metrics)),
    ];
    return html`<section class="task" id="task-${fact.task}" aria-label="${fact.title}">
<h3>${fact.title}</h3>
${contextOf(fact, taskSummaries).map((line) => html`<p class="context">data: ${fact.dataset}; ${line}</p>`)}
${sortableTable({ caption: `Results of ${fact.title}`, columns: columnsOf(taskSummaries), rows: rowsOf(taskSummaries, fact) })}
${notes.length === 0 ? undefined : html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
</section>`;
  })}`;
}

const isRepeated = (summaries: readonly Summary[]): boolean => summaries.some(({ repeats }) => repeats > 1);
/** Whether an arm has had all its questions: only such arms are ranked. */
const isWhole = ({ planned }: Summary): boolean => planned === undefined;
const arrow = ({ better }: MetricSummary): string => (better === "higher" ? "↑" : "↓");

function columnsOf(summaries: readonly Summary[]): Column[] {
  const metrics = summaries[0]?.metrics ?? [];
  return [
    { title: "method", kind: "text" },
    ...metrics.map((metric) => ({
      title: `${metric.name} ${arrow(metric)}`,
      help: `${metric.title}; ${metric.better} is better; under it the 95 % interval over users`,
    })),
    ...(isRepeated(summaries) ? [{ title: "sd", help: "standard deviation between repeats" }] : []),
    { title: "lenient", help: `${metrics[0]?.name ?? "metric"} of what a forgiving reading finds in the replies` },
    { title: "n", help: "scored answers" },
    { title: "answered" },
    { title: "unparsed", help: "replies that the official reading does not accept; scored as wrong" },
    { title: "failed", help: "questions without a reply; not scored" },
    { title: "calls/q", help: "model calls a question" },
    { title: "calls/user", help: "model calls to prepare a user" },
    { title: "tok/q", help: "tokens a question" },
    { title: "tok/user", help: "tokens to prepare a user" },
    { title: "cost", help: "list price of all calls, US dollars" },
  ];
}

function rowsOf(summaries: readonly Summary[], { floor }: TaskFacts): (readonly Cell[])[] {
  const best = (summaries[0]?.metrics ?? []).map((_, m) =>
    bestOf(summaries.filter(isWhole).map(({ metrics }) => metrics[m])),
  );
  const rows = summaries.map((summary): Cell[] => [
    { text: armLabel(summary) },
    ...summary.metrics.map((metric, m) => ({
      ...scoreCell(metric.strict, metric.interval),
      best:
        summaries.filter(isWhole).length > 1 &&
        metric.strict !== undefined &&
        metric.strict === best[m] &&
        isWhole(summary),
    })),
    ...(isRepeated(summaries) ? [numeric(summary.metrics[0]?.spread, formatScore)] : []),
    numeric(summary.metrics[0]?.lenient, formatScore),
    { text: sampleSize(summary), value: summary.counts.scored },
    numeric(summary.counts.answered, formatAmount),
    numeric(summary.counts.unparsed, formatAmount),
    numeric(summary.counts.failed, (value) => `${formatAmount(value)}${value === 0 ? "" : "*"}`),
    ...[summary.callsPerQuery, summary.callsPerUser, summary.tokensPerQuery, summary.tokensPerUser].map((value) =>
      numeric(value, formatAmount),
    ),
    { text: formatCost(summary), value: summary.usd },
  ]);
  return floor === undefined ? rows : [...rows, floorRow(floor, summaries)];
}

const numeric = (value: number | undefined, format: (value: number | undefined) => string): Cell => ({
  text: format(value),
  value,
});

function bestOf(metrics: readonly (MetricSummary | undefined)[]): number | undefined {
  const values = metrics.flatMap((metric) => metric?.strict ?? []);
  if (values.length === 0) return undefined;
  return metrics[0]?.better === "lower" ? Math.min(...values) : Math.max(...values);
}

function floorRow(floor: NonNullable<TaskFacts["floor"]>, summaries: readonly Summary[]): Cell[] {
  const metrics = summaries[0]?.metrics ?? [];
  const absent: Cell = { text: dash };
  return [
    { text: "(majority label)", reference: true },
    ...metrics.map(({ name }) => numeric(floor.values[name], formatScore)),
    ...(isRepeated(summaries) ? [absent] : []),
    absent,
    numeric(floor.count, formatAmount),
    ...Array<Cell>(8).fill(absent),
  ];
}
