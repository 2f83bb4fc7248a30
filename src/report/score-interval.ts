import { scoreAll } from "../metrics/score-all.js";
import { repeatSums } from "../statistics/cluster-sums.js";
import {
  type Interval,
  jackknifed,
  MIN_USERS,
  type Repeats,
  scoreInterval,
  withRepeats,
} from "../statistics/interval.js";
import { beforeRoot, isMean } from "../statistics/mean-metric.js";
import { deviation, meanOf } from "../statistics/quantile.js";
import type { Metric, Pair } from "../types/index.js";
import { groupBy } from "./grouped.js";
import { drawnWhole, meanOfRepeats, pairOf, pairsByRepeat, type ScoredRow, scoresOfRepeats } from "./pairs.js";

/** The pairs of an arm, grouped once for all its metrics. */
export interface ArmPairs {
  /** Of each repeat. */
  readonly repeats: readonly (readonly Pair[])[];
  /** Of each user, by repeat. */
  readonly users: readonly (readonly (readonly Pair[])[])[];
  /** Of each question, all repeats together. */
  readonly questions: readonly (readonly Pair[])[];
}

/** `repeats`: the cells of the arm. */
export const armPairs = (rows: readonly ScoredRow[], repeats: readonly string[]): ArmPairs => ({
  repeats: pairsByRepeat(rows, repeats),
  users: [...groupBy(rows, drawnWhole).values()].map((ofUser) => pairsByRepeat(ofUser, repeats)),
  questions: [...groupBy(rows, ({ question }) => question).values()].map((of) => of.map(pairOf)),
});

/**
 * 95 % interval of an arm's printed score, for users drawn like these (docs/STATISTICS.md). RMSE by its squared errors.
 * Undefined below 10 users, and for a metric whose largest value is not known.
 */
export const intervalOfRows = (metric: Metric, rows: readonly ScoredRow[], repeats: readonly string[]) =>
  intervalOfArm(metric, armPairs(rows, repeats));

/** The same of an arm whose rows are grouped. */
export function intervalOfArm(metric: Metric, { repeats, users, questions }: ArmPairs): Interval | undefined {
  if (users.length < MIN_USERS) return undefined;
  const judged = beforeRoot(metric);
  const known = metric.labels === undefined ? ownValues(judged, questions) : { range: 1, answers: true };
  if (known === undefined) return undefined;
  const spread = spreadOf(judged, repeats);
  const found = scoreInterval({ sums: repeatSums(judged, users), ...known, repeats: spread });
  if (found === undefined || judged === metric) return found;
  const printed = meanOfRepeats(metric, repeats) ?? 0;
  return { low: Math.min(printed, Math.sqrt(found.low)), high: Math.max(printed, Math.sqrt(found.high)) };
}

/** The variance of a mean over labels, users and repeats in it. Undefined below 10 users. */
export function labelVariance(
  metric: Metric,
  rows: readonly ScoredRow[],
  cells: readonly string[],
): number | undefined {
  const { repeats, users } = armPairs(rows, cells);
  if (users.length < MIN_USERS) return undefined;
  const { variance } = jackknifed(repeatSums(metric, users));
  return withRepeats(variance, users.length, [spreadOf(metric, repeats)]).variance;
}

function spreadOf(metric: Metric, repeats: ArmPairs["repeats"]): Repeats {
  const scores = scoresOfRepeats(metric, repeats);
  return { sd: deviation(scores) ?? 0, count: Math.max(1, scores.length) };
}

/** Each question's mean value, up to a known range. Undefined: single questions have none. */
function ownValues(metric: Metric, questions: ArmPairs["questions"]) {
  if (metric.most === undefined || !isMean(metric)) return undefined;
  const values = questions.map((pairs) => pairs.map((pair) => scoreAll(metric, [pair])));
  const all = values.flat();
  return {
    range: all.reduce((most, value) => Math.max(most, value), metric.most),
    answers: metric.most === 1 && all.every((value) => value === 0 || value === 1),
    values: Float64Array.from(values, meanOf),
  };
}
