import { groupBy } from "../../results/grouped.js";
import { median } from "../../results/quantile.js";
import { userScores } from "../per-user/per-user.js";
import { type Arm, armsByTask, metricTitle, simulatedMark } from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import { dashedAt, named, palette, quantitative, scoreScale, sentinel, specOf, step } from "./theme.js";

/** Each user's own score by arm, and the gain over the reference on the questions that both answered; one chart each a task. */
export function perUser(material: ChartMaterial): Chart[] {
  const { reference } = material;
  return armsByTask(material).flatMap(({ fact, key, arms }): Chart[] => {
    const points = pointsOf(arms, material);
    const users = new Set(points.map(({ user }) => user)).size;
    const [first] = arms;
    if (first === undefined || users < 2) return [];
    const gains = points.flatMap(({ arm, gain }) => (gain === undefined ? [] : [{ arm, value: gain }]));
    const mark = `upright line: median user. ${users} users.${simulatedMark(arms)}`;
    const scores: Chart = {
      name: `users-${key}`,
      title: `Scores of single users: ${fact.title}`,
      note: `Area of a circle: users with that score; ${mark}`,
      section: "users",
      spec: strip(
        points.map(({ arm, score }) => ({ arm, value: score })),
        metricTitle(first.headline),
      ),
    };
    if (gains.length === 0) return [scores];
    return [
      scores,
      {
        name: `gains-${key}`,
        title: `Gain of single users over ${reference}: ${fact.title}`,
        note: `On the questions that both answered. Right of the line: users for whom the method is better than ${reference}. Area of a circle: users; ${mark}`,
        section: "users",
        spec: strip(gains, `gain in ${first.headline.name} (right is better)`, 0),
      },
    ];
  });
}

interface Dot {
  readonly arm: string;
  readonly user: string;
  readonly score: number;
  /** Undefined for the reference itself, and where it answered none of the user's questions. */
  readonly gain: number | undefined;
}

function pointsOf(arms: readonly Arm[], { task, units, reference }: ChartMaterial): Dot[] {
  const plain = arms.find(({ summary }) => summary.method === reference);
  return arms.flatMap((arm) => {
    const { label, summary, rows } = arm;
    const over = plain === undefined || summary.method === reference ? {} : { reference: plain.rows };
    const ofArm = units.filter(({ cell }) => summary.cells.includes(cell));
    const scores = userScores({ task: task(summary.task), rows, units: ofArm, ...over });
    return scores.map(({ user, score, gain }) => ({ arm: label, user, score, gain }));
  });
}

interface StripMark {
  readonly arm: string;
  readonly value: number;
}

/** Marks along the axis. */
const BINS = 40;

/** Values that fall together become one circle of that area at their mean: the picture stays small for any number of users. */
function circlesOf(marks: readonly StripMark[]): { arm: string; value: number; users: number }[] {
  const values = marks.map(({ value }) => value);
  const span = values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  const grain = span === 0 ? 1 : span / BINS;
  const bins = groupBy(marks, ({ arm, value }) => `${arm}\t${Math.round(value / grain)}`);
  return [...bins.values()].map((bin) => ({
    arm: bin[0]!.arm, // bins are never empty
    value: Number((bin.reduce((sum, { value }) => sum + value, 0) / bin.length).toPrecision(6)),
    users: bin.length,
  }));
}

function strip(marks: readonly StripMark[], title: string, line?: number) {
  const circles = circlesOf(marks);
  const most = circles.reduce((largest, { users }) => Math.max(largest, users), 0);
  const medians = [...groupBy(marks, ({ arm }) => arm)].map(([arm, ofArm]) => ({
    arm,
    median: median(ofArm.map(({ value }) => value)) ?? null,
  }));
  const placed = [...marks.map(({ value }) => value), ...(line === undefined ? [] : [line])];
  const y = named("arm");
  const legend = {
    orient: "right",
    title: "users",
    values: [...new Set([1, Math.ceil(most / 2), most])],
    symbolFillColor: palette[0],
  };
  return specOf({
    width: 420,
    height: step(34),
    layer: [
      ...(line === undefined ? [] : [dashedAt("line", line)]),
      {
        data: { values: circles },
        mark: { type: "circle", opacity: 0.65, color: palette[0] },
        encoding: {
          y,
          x: quantitative("value", { scale: scoreScale(placed, { nice: false, padding: 14 }), title }),
          size: quantitative("users", { scale: { domain: [0, most], range: [0, 420] }, legend }),
        },
      },
      {
        data: { values: medians },
        mark: { type: "tick", thickness: 2, size: 26, color: sentinel.ink },
        encoding: { y, x: quantitative("median") },
      },
    ],
  });
}
