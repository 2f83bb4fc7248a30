import { isScored, meanOfRepeats, pairsByRepeat, repeatsOf } from "../../results/answers.js";
import { compareIfAny, rowsByArm } from "../../results/compare.js";
import { groupBy, meanOf, median } from "../../results/samples.js";
import type { Metric, Row } from "../../types/index.js";
import { html } from "../html.js";
import { rowChart, tickGain, tickScore, upright } from "./axis.js";
import { armsByTask, type Chart, type ChartInput, metricTitle } from "./chart.js";
import { type Picture, px } from "./svg.js";

/** The gain of each user over the reference, or the score where the task has no reference; one chart a task. */
export function perUser(input: ChartInput): Chart[] {
  const { over } = input.gains;
  const rowsOf = rowsByArm(input.rows);
  return armsByTask(input).flatMap(({ fact, arms, complete }): Chart[] => {
    const reference = arms.find(({ summary }) => summary.method === over)?.summary;
    const [metric] = input.task(fact.task).metrics;
    const strips = arms.flatMap(({ label, summary }): Strip[] => {
      if (summary === reference || metric === undefined) return [];
      const values = valuesOf(metric, rowsOf(summary), reference && rowsOf(reference));
      return values.length > 1 ? [{ label, values }] : [];
    });
    if (strips.length === 0) return [];
    const isGain = reference !== undefined;
    const axis = isGain ? `gain in ${metric!.name} (positive is better)` : metricTitle(arms[0]!.metric);
    const both = isGain ? "On the questions that both answered. " : "";
    const users = Math.max(...strips.map(({ values }) => values.length));
    const note = `${both}Area of a circle: users with that value; upright line: the median user. ${users} users.`;
    const title = isGain ? `Gain of single users over ${over}` : "Scores of single users";
    return [complete({ name: "per-user-TASK", title, note, picture: drawing(strips, axis, isGain) })];
  });
}

/** A value a user with a scored answer: the gain on the questions that both answered, or the score without a reference. */
function valuesOf(metric: Metric, rows: readonly Row[], reference: readonly Row[] | undefined): number[] {
  const others = groupBy(reference ?? [], ({ user }) => user);
  return [...groupBy(rows.filter(isScored), ({ user }) => user)].flatMap(([user, own]) => {
    if (reference === undefined) return meanOfRepeats(metric, pairsByRepeat(own, repeatsOf(own))) ?? [];
    return compareIfAny({ a: others.get(user) ?? [], b: own, metrics: [metric] })?.metrics[0]?.gain ?? [];
  });
}

interface Strip {
  readonly label: string;
  readonly values: readonly number[];
}

/** Pixels of the radius of the largest circle, and places along the axis. */
const [LARGEST, PLACES] = [12, 40];

/** Values that fall together become one circle at their mean: the chart stays small for any number of users. */
function drawing(strips: readonly Strip[], title: string, isGain: boolean): Picture {
  const values = strips.flatMap((strip) => strip.values);
  const grain = (Math.max(...values) - Math.min(...values)) / PLACES || 1;
  const circles = strips.map((strip) => [
    ...groupBy(strip.values, (value) => String(Math.round(value / grain))).values(),
  ]);
  const most = Math.max(...circles.flat().map(({ length }) => length));
  return rowChart({
    names: strips.map(({ label }) => label),
    ...{ values, title, format: isGain ? tickGain : tickScore, zero: isGain, rowHeight: 34 },
    draw(row, y, axis) {
      const drawn = circles[row]!.map((near) => {
        const place = html`cx="${px(axis.at(meanOf(near)))}" cy="${px(y)}"`;
        const radius = px(LARGEST * Math.sqrt(near.length / most));
        const tip = html`<title>${near.length} users at ${tickScore(meanOf(near))}</title>`;
        const paint = html`fill="currentColor" fill-opacity=".35" stroke="currentColor"`;
        return html`<circle class="s0" ${place} r="${radius}" ${paint}>${tip}</circle>`;
      });
      const middle = axis.at(median(strips[row]!.values) ?? 0);
      return html`${drawn}${upright(middle, [y - 13, y + 13], "", { width: 2 })}`;
    },
  });
}
