import type { Comparison } from "../../results/compare.js";
import type { Summary } from "../../results/summary.js";
import { html } from "../markup.js";
import { dash } from "../table.js";
import { gainEstimate, markedP, pLegend } from "../tables/arm-columns.js";
import { formatGain, formatP } from "../tables/format.js";
import { tickGain } from "./axis.js";
import { armsByTask, type Chart, type ChartMaterial, type ScoredArm, sampleText } from "./chart.js";
import { endsOf, rowChart } from "./rows.js";
import { across, dot, type Picture, seriesKind } from "./svg.js";

/** The paired gain of each method over the reference, with its interval and p; one chart a task. */
export function gains(material: ChartMaterial): Chart[] {
  const { over, of: comparisonOf } = material.gains;
  return armsByTask(material).flatMap(({ arms, of }) => {
    const picture = gainRows(arms, comparisonOf);
    if (picture === undefined) return [];
    const legend = pLegend(
      comparisonOf,
      arms.map(({ summary }) => summary),
    ).join("");
    const note = `On the questions that both answered; right of the line is better; line: 95 % interval over users. ${legend}. ${sampleText(arms)}`;
    return [of({ name: "gains-TASK", title: `Gain over ${over}`, note, picture })];
  });
}

/** A row for each arm that has a comparison, with its numbers at the right; undefined where none has. */
export function gainRows(
  arms: readonly ScoredArm[],
  comparisonOf: (arm: Summary) => Comparison | undefined,
): Picture | undefined {
  const rows = arms.flatMap(({ label, summary, metric }) => {
    const comparison = comparisonOf(summary);
    const gain = gainEstimate(comparison);
    return gain?.value === undefined ? [] : [{ label, metric, ...gain, value: gain.value, p: markedP(comparison) }];
  });
  if (rows.length === 0) return undefined;
  const texts = rows.map(({ value, interval, p }) => {
    const bounds = interval === undefined ? dash : `${formatGain(interval.low)}, ${formatGain(interval.high)}`;
    return `${formatGain(value)} [${bounds}]  p ${formatP(p?.value)}${p?.mark ?? ""}`;
  });
  return rowChart({
    names: rows.map(({ label }) => label),
    beside: ["gain [95 % interval], p", ...texts],
    values: endsOf(rows),
    title: `gain in ${rows[0]!.metric.name} (positive is better)`,
    ...{ format: tickGain, zero: true, rowHeight: 24 },
    draw(row, y, axis) {
      const { value, interval } = rows[row]!; // a row a name
      const range = interval && across(y, [axis.at(interval.low), axis.at(interval.high)], seriesKind(0), { width: 2 });
      return html`${range}${dot(axis.at(value), y, 0, { says: texts[row]! })}`;
    },
  });
}
