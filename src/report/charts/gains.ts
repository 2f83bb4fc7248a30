import type { Comparison } from "../../results/compare.js";
import type { Summary } from "../../results/summary.js";
import { html } from "../html.js";
import { boundsOf } from "../table.js";
import { gainEstimate, markedP, pLegend } from "../tables/arm-columns.js";
import { formatGain, formatP } from "../tables/format.js";
import { across, endsOf, rowChart, tickGain } from "./axis.js";
import { armsByTask, type Chart, type ChartInput, type ScoredArm, sampleText } from "./chart.js";
import { type Picture, seriesDot, seriesKind } from "./svg.js";

/** The paired gain of each method over the reference, with its interval and p; one chart a task. */
export const gains = (input: ChartInput): Chart[] =>
  armsByTask(input).flatMap(({ arms, complete }) => {
    const { over, of: comparisonOf } = input.gains;
    const picture = gainRows(arms, comparisonOf);
    if (picture === undefined) return [];
    const summaries = arms.map(({ summary }) => summary);
    const note = [
      "On the questions that both answered; right of the line is better; line: 95 % interval over users.",
      ...pLegend(input.gains, summaries).map((line) => `${line}.`),
      sampleText(arms),
    ];
    return [complete({ name: "gains-TASK", title: `Gain over ${over}`, note: note.join(" "), picture })];
  });

type ComparisonOf = (arm: Summary) => Comparison | undefined;

/** A row for each arm that has a comparison, the largest gain first; undefined where none has. */
function gainRows(arms: readonly ScoredArm[], comparisonOf: ComparisonOf): Picture | undefined {
  const rows = arms.flatMap(({ label, summary, metric }) => {
    const comparison = comparisonOf(summary);
    const { value, interval } = gainEstimate(comparison) ?? {};
    if (value === undefined) return [];
    const { value: p, mark = "" } = markedP(comparison) ?? {};
    const text = `${formatGain(value)} ${boundsOf(interval, formatGain)}  p ${formatP(p)}${mark}`;
    return [{ label, metric, value, interval, text }];
  });
  if (rows.length === 0) return undefined;
  rows.sort((a, b) => b.value - a.value);
  return rowChart({
    names: rows.map(({ label }) => label),
    beside: ["gain [95 % interval], p", ...rows.map(({ text }) => text)],
    values: endsOf(rows),
    title: `gain in ${rows[0]!.metric.name} (positive is better)`,
    format: tickGain,
    draw(row, y, axis) {
      const { value, interval, text } = rows[row]!; // a row a name
      const range = interval && across(y, [axis.at(interval.low), axis.at(interval.high)], seriesKind(0), { width: 2 });
      return html`${range}${seriesDot([axis.at(value), y], 0, { says: text })}`;
    },
  });
}
