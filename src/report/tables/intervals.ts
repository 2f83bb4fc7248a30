import { armLabel } from "../arms.js";
import { groupBy } from "../grouped.js";
import { headingMark } from "../simulated.js";
import { sparseLabelRemarks } from "../sparse-labels.js";
import type { Summary } from "../summary.js";
import { dash, type Table } from "../table.js";
import { formatScore } from "./format.js";
import { renderMarkdown } from "./markdown.js";
import { renderText } from "./text.js";

/** Every metric with its interval, where the main table has that of the first only. One table a task. */
export function renderIntervals(summaries: readonly Summary[], form: "text" | "markdown"): string {
  const blocks = [...groupBy(summaries, ({ task, dataset }) => `${task} · data: ${dataset}`)].map(([key, ofTask]) => {
    const heading = `${key} · 95 % intervals of every metric, for users drawn like these (a dash below 10 users)${headingMark(ofTask)}`;
    const remarks = sparseLabelRemarks(ofTask.flatMap(({ metrics }) => metrics));
    return form === "text"
      ? [heading, renderText(tableOf(ofTask)), ...remarks].join("\n")
      : [`### ${heading}`, renderMarkdown(tableOf(ofTask)), ...remarks].join("\n\n");
  });
  return blocks.join("\n\n");
}

function tableOf(summaries: readonly Summary[]): Table {
  const right = ["score", "low", "high", "sd repeats", "lenient", "users", "n"];
  return {
    columns: [
      { title: "method", align: "left" },
      { title: "metric", align: "left" },
      ...right.map((title) => ({ title, align: "right" as const })),
    ],
    rows: summaries.flatMap(({ metrics, users, counts, ...summary }) =>
      metrics.map((metric) => [
        armLabel(summary),
        `${metric.name} (${metric.better === "higher" ? "up" : "down"})`,
        formatScore(metric.strict),
        metric.interval === undefined ? dash : formatScore(metric.interval.low),
        metric.interval === undefined ? dash : formatScore(metric.interval.high),
        formatScore(metric.spread),
        formatScore(metric.lenient),
        String(users),
        String(counts.scored),
      ]),
    ),
  };
}
