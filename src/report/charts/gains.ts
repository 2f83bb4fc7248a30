import type { Comparison } from "../../results/compare.js";
import { gainEstimate, markedP, pLegend } from "../gains.js";
import type { Summary } from "../summary.js";
import { dash } from "../table.js";
import { formatGain, formatP } from "../tables/format.js";
import { armsByTask, type Chart, type ChartMaterial, type ScoredArm, sampleText } from "./chart.js";
import { dotOnLine, endsOf, rowChart } from "./rows.js";
import type { Picture } from "./svg.js";

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
    ...{ format: formatGain, zero: true, rowHeight: 24 },
    draw: (row, y, axis) => dotOnLine(rows[row]!, { y, axis, series: 0, says: texts[row]! }),
  });
}
