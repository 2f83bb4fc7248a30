import { type ClusterSums, sumsBy } from "../statistics/cluster-sums.js";
import { deviation } from "../statistics/deviation.js";
import { type Interval, jackknifed, MIN_USERS, scoreInterval, withRepeats } from "../statistics/interval.js";
import { beforeRoot, isMean, isRootOfMean } from "../statistics/mean-metric.js";
import type { Metric, Pair } from "../types.js";
import { numbersOf } from "./fold/row.js";
import { pairOf, type ScoredRow } from "./pairs.js";
import { mean } from "./repeats.js";

/** The scored rows of an arm, grouped once for all its metrics: numbers, so that a million rows take some 20 MB. */
export interface ScoredArm {
  readonly rows: readonly ScoredRow[];
  readonly repeats: number;
  /** By row, the number of its repeat; -1 for a row of no repeat, which counts for no score. */
  readonly repeatOf: Int32Array;
  readonly users: number;
  /** The rows by user, in order of first appearance: those of user u from starts[u] to starts[u+1]. */
  readonly byUser: Int32Array;
  readonly starts: Int32Array;
  readonly questions: number;
  /** By row, the number of its question. */
  readonly questionOf: Int32Array;
}

/** Rows of other cells than `repeats` count for no score. */
export function scoredArm(rows: readonly ScoredRow[], repeats: readonly string[]): ScoredArm {
  const numberOf = new Map(repeats.map((cell, r) => [cell, r]));
  const { numbers: userOf, count: users } = numbersOf(rows, "user");
  const { numbers: questionOf, count: questions } = numbersOf(rows, "question");
  const starts = new Int32Array(users + 1);
  for (const user of userOf) starts[user + 1]! += 1;
  for (let user = 0; user < users; user++) starts[user + 1]! += starts[user]!;
  const next = starts.slice();
  const byUser = new Int32Array(rows.length);
  for (const [r, user] of userOf.entries()) {
    byUser[next[user]!] = r;
    next[user]! += 1;
  }
  const repeatOf = Int32Array.from(rows, ({ cell }) => numberOf.get(cell) ?? -1);
  return { rows, repeats: repeats.length, repeatOf, users, byUser, starts, questions, questionOf };
}

/** The score of each repeat that has rows. */
export function scoresOfArm(metric: Metric, { rows, repeats, repeatOf }: ScoredArm, pair = pairOf): number[] {
  const scores: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    const sums = new Float64Array(metric.width);
    let count = 0;
    for (const [r, row] of rows.entries()) {
      if (repeatOf[r] !== repeat) continue;
      metric.add(pair(row), sums);
      count += 1;
    }
    if (count > 0) scores.push(metric.value(sums, count));
  }
  return scores;
}

/**
 * 95 % interval of an arm's printed score, for users drawn like these (docs/STATISTICS.md). RMSE by its squared errors.
 * Undefined below 10 users, and for a metric whose largest value is not known.
 */
export const intervalOfRows = (
  metric: Metric,
  rows: readonly ScoredRow[],
  repeats: readonly string[],
): Interval | undefined => intervalOfArm(metric, scoredArm(rows, repeats));

/** The same of an arm whose rows are grouped. `scores`: those of its repeats by this metric, where they are known. */
export function intervalOfArm(metric: Metric, arm: ScoredArm, scores = scoresOfArm(metric, arm)): Interval | undefined {
  if (arm.users < MIN_USERS) return undefined;
  const own = ownValues(metric, arm);
  if (own === undefined) return undefined;
  const judged = beforeRoot(metric);
  const ofRepeats = judged === metric ? scores : scoresOfArm(judged, arm);
  const found = scoreInterval({
    sums: sumsOfArm(judged, arm),
    ...own,
    repeats: { sd: deviation(ofRepeats) ?? 0, count: Math.max(1, ofRepeats.length) },
  });
  if (found === undefined || judged === metric) return found;
  const printed = mean(scores) ?? 0;
  return { low: Math.min(printed, Math.sqrt(found.low)), high: Math.max(printed, Math.sqrt(found.high)) };
}

/** The variance of a mean over labels, users and repeats in it. Undefined below 10 users. */
export function labelVariance(
  metric: Metric,
  rows: readonly ScoredRow[],
  repeats: readonly string[],
): number | undefined {
  const arm = scoredArm(rows, repeats);
  if (arm.users < MIN_USERS) return undefined;
  const scores = scoresOfArm(metric, arm);
  const { variance } = jackknifed(sumsOfArm(metric, arm));
  return withRepeats(variance, arm.users, [{ sd: deviation(scores) ?? 0, count: scores.length }]).variance;
}

// --- internal ---

/** By user; of an arm that ran several times the mean over its repeats. */
const sumsOfArm = (metric: Metric, { rows, users, repeats, repeatOf, byUser, starts }: ScoredArm): ClusterSums =>
  sumsBy(metric, { users, repeats: Math.max(1, repeats) }, (user, add) => {
    for (let at = starts[user]!; at < starts[user + 1]!; at++) {
      const r = byUser[at]!;
      if (repeatOf[r]! >= 0) add(pairOf(rows[r]!), repeatOf[r]!);
    }
  });

interface OwnValues {
  readonly range: number;
  readonly answers: boolean;
  readonly values?: Float64Array;
}

/** What single questions have: values up to a known range, or, of a mean over labels, none. Undefined: nothing is known. */
function ownValues(metric: Metric, { rows, questionOf, questions }: ScoredArm): OwnValues | undefined {
  if (metric.labels !== undefined) return { range: 1, answers: true };
  const isRoot = isRootOfMean(metric);
  if (metric.most === undefined || !(isRoot || isMean(metric))) return undefined;
  let range = isRoot ? metric.most ** 2 : metric.most;
  let answers = true;
  const [sums, counts] = [new Float64Array(questions), new Float64Array(questions)];
  const room = new Float64Array(1);
  for (const [r, row] of rows.entries()) {
    const value = valueIn(room, metric, pairOf(row));
    range = Math.max(range, value);
    answers &&= metric.most === 1 && (value === 0 || value === 1);
    sums[questionOf[r]!]! += value;
    counts[questionOf[r]!]! += 1;
  }
  return { range, answers, values: sums.map((sum, question) => sum / counts[question]!) };
}

function valueIn(room: Float64Array, metric: Metric, pair: Pair): number {
  room[0] = 0;
  metric.add(pair, room);
  return room[0];
}
