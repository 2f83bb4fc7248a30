import type { Metric, OptionValue, Row } from "../../types.js";
import { formatP } from "../tables/format-p.js";
import { formatScore } from "../tables/table.js";
import { TOO_NARROW } from "../too-narrow.js";
import { correctTrends, type MetricTrend, trendsOf } from "./trend.js";

/** What stands on one axis of a sweep: each line is one method with one model. */
export interface TrendLines {
  readonly knob: string;
  readonly lines: readonly {
    readonly name: string;
    readonly steps: readonly { readonly value: OptionValue | undefined; readonly rows: readonly Row[] }[];
  }[];
  readonly metrics: readonly Metric[];
  readonly seed: number;
}

/**
 * A line of text for each metric and line of the axis that has three numbers or more, and what they say; p after Holm over all of them.
 * Empty where there is none, and below 10 users.
 */
export function trendNotes({ knob, lines, metrics, seed }: TrendLines): string[] {
  const known = lines.flatMap(({ name, steps }) => {
    const ordered = inOrder(steps);
    return ordered === undefined ? [] : [{ name, ordered }];
  });
  const found = correctTrends(
    known.map(({ ordered }) => trendsOf({ steps: ordered.map(({ rows }) => rows), metrics, seed })),
  );
  const shown = known.flatMap(({ name, ordered }, l) => {
    const values = ordered.map(({ value }) => value).join(", ");
    const head = `trend along ${knob} (${values})${known.length > 1 ? `, ${name}` : ""}: `;
    return found[l]!.map((one) => `${head}${trendText(one)}`);
  });
  const tests = found.flat().length;
  return tests === 0 ? [] : [...shown, `${TREND_LEGEND}; p Holm over ${tests} trend${tests === 1 ? "" : "s"}`];
}

/** Of two steps the difference says it all. */
const FEWEST_STEPS = 3;

const TREND_LEGEND = `trend: slope of the least-squares line, steps equally far apart, 95 % interval over users, ${TOO_NARROW}; it does not say that every step changes as much`;

interface Step {
  readonly value: number;
  readonly rows: readonly Row[];
}

/** Ascending. Undefined where a step is no number, two are the same, or there are too few. */
function inOrder(steps: TrendLines["lines"][number]["steps"]): Step[] | undefined {
  const numbers = steps.flatMap(({ value, rows }) => (typeof value === "number" ? [{ value, rows }] : []));
  const different = new Set(numbers.map(({ value }) => value)).size;
  if (different < FEWEST_STEPS || different < steps.length) return undefined;
  return numbers.sort((a, b) => a.value - b.value);
}

const trendText = ({ metric, slope, interval, holm }: MetricTrend): string =>
  `${metric} ${signed(slope)} a step [${signed(interval.low)}, ${signed(interval.high)}], p Holm ${formatP(holm)}`;

const signed = (value: number): string => `${value > 0 ? "+" : ""}${formatScore(value)}`;
