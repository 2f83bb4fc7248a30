import { scoreAll } from "../../metrics/score-all.js";
import type { Metric, Pair, Row } from "../../types.js";
import { strictText } from "../summary.js";
import { type Arm, armsByTask, metricTitle, simulatedMark, taskKey } from "./arms.js";
import type { Chart } from "./chart.js";
import type { ChartMaterial } from "./material.js";
import { palette, sentinel, specOf, step } from "./theme.js";

/** Each user's own score by arm, and the gain over the method without personalization; one chart each a task. */
export function perUser(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, arms }) => {
    const metric = material.task(fact.task).metrics[0];
    if (metric === undefined) return [];
    const scores = arms.flatMap((arm) => userScores(arm, metric));
    const users = new Set(scores.map(({ user }) => user)).size;
    if (users < 2) return [];
    const mark = `${users} users.${simulatedMark(arms)}`;
    const key = taskKey(material, fact);
    const title = arms[0] === undefined ? "" : metricTitle(arms[0].headline);
    const gains = gainsOver(scores, baseline(arms)?.label, metric);
    return [
      {
        name: `users-${key}`,
        title: `Scores of single users: ${fact.title}`,
        note: `Area of a circle: users with that score; upright line: median user. ${mark}`,
        section: "users",
        spec: strip(
          scores.map(({ arm, score }) => ({ arm, value: score })),
          title,
          undefined,
        ),
      } satisfies Chart,
      ...(gains.length === 0
        ? []
        : [
            {
              name: `gains-${key}`,
              title: `Gain of single users over ${baseline(arms)?.label}: ${fact.title}`,
              note: `Right of the line: users for whom the method is better than ${baseline(arms)?.label}. Area of a circle: users; upright line: median user. ${mark}`,
              section: "users",
              spec: strip(gains, `gain in ${metric.name} (right is better)`, 0),
            } satisfies Chart,
          ]),
    ];
  });
}

// --- internal ---

interface UserScore {
  readonly arm: string;
  readonly user: string;
  readonly score: number;
}

/** What gains are measured against. */
const BASELINE = "prompt";
const baseline = (arms: readonly Arm[]): Arm | undefined => arms.find(({ summary }) => summary.method === BASELINE);

function userScores({ label, rows }: Arm, metric: Metric): UserScore[] {
  const pairs = new Map<string, Pair[]>();
  for (const row of rows) {
    if (row.gold === undefined || row.outcome.kind === "failed") continue;
    pairs.set(row.user, [...(pairs.get(row.user) ?? []), pairOf(row, row.gold)]);
  }
  return [...pairs].map(([user, own]) => ({ arm: label, user, score: scoreAll(metric, own) }));
}

const pairOf = (row: Row, gold: string): Pair => ({ prediction: strictText(row), gold });

function gainsOver(scores: readonly UserScore[], reference: string | undefined, { better }: Metric) {
  const sign = better === "higher" ? 1 : -1;
  const floor = new Map(scores.filter(({ arm }) => arm === reference).map(({ user, score }) => [user, score]));
  return scores.flatMap(({ arm, user, score }) => {
    const own = floor.get(user);
    return arm === reference || own === undefined ? [] : [{ arm, value: sign * (score - own) }];
  });
}

/** Values that fall together become one circle of that area, so that the picture stays small for any number of users. */
function strip(
  points: readonly { readonly arm: string; readonly value: number }[],
  title: string,
  line: number | undefined,
) {
  const span = Math.max(...points.map(({ value }) => value)) - Math.min(...points.map(({ value }) => value));
  const grain = span === 0 ? 1 : span / BINS;
  const circles = new Map<string, { arm: string; value: number; users: number }>();
  for (const { arm, value } of points) {
    const binned = Math.round(value / grain) * grain;
    const key = `${arm}\t${binned}`;
    const circle = circles.get(key) ?? { arm, value: Number(binned.toPrecision(6)), users: 0 };
    circle.users += 1;
    circles.set(key, circle);
  }
  const most = Math.max(...[...circles.values()].map(({ users }) => users));
  const medians = [...new Set(points.map(({ arm }) => arm))].map((arm) => ({
    arm,
    median: median(points.filter((point) => point.arm === arm).map(({ value }) => value)),
  }));
  const y = { field: "arm", type: "nominal", sort: null, title: null } as const;
  const scale = { zero: false, nice: false, padding: 14 } as const;
  return specOf({
    width: 420,
    height: step(34),
    layer: [
      ...(line === undefined
        ? []
        : [
            {
              data: { values: [{ line }] },
              mark: { type: "rule", strokeDash: [4, 4], color: sentinel.muted },
              encoding: { x: { field: "line", type: "quantitative" } },
            } as const,
          ]),
      {
        data: { values: [...circles.values()] },
        mark: { type: "circle", opacity: 0.65, color: palette[0] },
        encoding: {
          y,
          x: { field: "value", type: "quantitative", scale, title },
          size: {
            field: "users",
            type: "quantitative",
            scale: { domain: [0, most], range: [0, 420] },
            legend: {
              orient: "right",
              title: "users",
              values: [...new Set([1, Math.ceil(most / 2), most])],
              symbolFillColor: palette[0],
            },
          },
        },
      },
      {
        data: { values: medians },
        mark: { type: "tick", thickness: 2, size: 26, color: sentinel.ink },
        encoding: { y, x: { field: "median", type: "quantitative" } },
      },
    ],
  });
}

/** Places along the axis. */
const BINS = 40;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2;
}
