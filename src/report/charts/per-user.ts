import { rowsByArm } from "../../results/gains.js";
import { groupBy } from "../../results/grouped.js";
import { meanOf, median } from "../../results/quantile.js";
import { html } from "../markup.js";
import { userScores } from "../per-user.js";
import { tickGain, tickScore } from "./axis.js";
import { armsByTask, type Chart, type ChartMaterial, metricTitle } from "./chart.js";
import { rowChart } from "./rows.js";
import { type Picture, px, upright } from "./svg.js";

/** The gain of each user over the reference, or the score where the task has no reference; one chart a task. */
export function perUser(material: ChartMaterial): Chart[] {
  const { over } = material.gains;
  const rowsOf = rowsByArm(material.rows);
  return armsByTask(material).flatMap(({ fact, arms, of }): Chart[] => {
    const reference = arms.find(({ summary }) => summary.method === over)?.summary;
    const strips = arms
      .filter(({ summary }) => summary !== reference)
      .map(({ label, summary }) => {
        const rows = { rows: rowsOf(summary), ...(reference === undefined ? {} : { reference: rowsOf(reference) }) };
        const users = userScores({ task: material.task(fact.task), ...rows });
        return { label, values: users.flatMap(({ score, gain }) => (reference === undefined ? score : gain) ?? []) };
      })
      .filter(({ values }) => values.length > 1);
    if (strips.length === 0) return [];
    const { metric } = arms[0]!; // a task has scored arms
    const isGain = reference !== undefined;
    const title = isGain ? `gain in ${metric.name} (positive is better)` : metricTitle(metric);
    const note = `${isGain ? "On the questions that both answered. " : ""}Area of a circle: users with that value; upright line: the median user. ${Math.max(...strips.map(({ values }) => values.length))} users.`;
    return [
      of({
        name: "per-user-TASK",
        title: isGain ? `Gain of single users over ${over}` : "Scores of single users",
        note,
        picture: drawing(strips, title, isGain),
      }),
    ];
  });
}

interface Strip {
  readonly label: string;
  readonly values: readonly number[];
}

function drawing(strips: readonly Strip[], title: string, isGain: boolean): Picture {
  const values = strips.flatMap((strip) => strip.values);
  const circles = strips.map((strip) => circlesOf(strip.values, values));
  const most = Math.max(...circles.flat().map(({ users }) => users));
  return rowChart({
    names: strips.map(({ label }) => label),
    ...{ values, title, format: isGain ? tickGain : tickScore, zero: isGain, rowHeight: 34 },
    draw(row, y, axis) {
      const drawn = circles[row]!.map(({ value, users }) => {
        const radius = LARGEST * Math.sqrt(users / most);
        return html`<circle class="s0" cx="${px(axis.at(value))}" cy="${px(y)}" r="${px(radius)}" fill="currentColor" fill-opacity=".35" stroke="currentColor"><title>${users} users at ${tickScore(value)}</title></circle>`;
      });
      const middle = axis.at(median(strips[row]!.values) ?? 0);
      return html`${drawn}${upright(middle, [y - 13, y + 13], "", { width: 2 })}`;
    },
  });
}

/** Pixels of the radius of the largest circle, and places along the axis. */
const [LARGEST, PLACES] = [12, 40];

/** Values that fall together become one circle at their mean: the chart stays small for any number of users. */
function circlesOf(values: readonly number[], all: readonly number[]): { value: number; users: number }[] {
  const grain = (Math.max(...all) - Math.min(...all)) / PLACES || 1;
  const places = groupBy(values, (value) => String(Math.round(value / grain)));
  return [...places.values()].map((near) => ({ value: meanOf(near), users: near.length }));
}
