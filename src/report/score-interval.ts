import { repeatSums } from "../statistics/cluster-sums.js";
import { deviation } from "../statistics/deviation.js";
import { type Interval, jackknifed, MIN_USERS, scoreInterval, withRepeats } from "../statistics/interval.js";
import { beforeRoot, isMean, isRootOfMean } from "../statistics/mean-metric.js";
import type { Metric, Pair } from "../types.js";
import { pairOf, type ScoredRow } from "./pairs.js";
import { meanOfRepeats, scoresOfRepeats } from "./repeats.js";

/** The scored rows of an arm as pairs, grouped once for all its metrics. */
export interface ScoredArm {
  /** All pairs, by repeat. */
  readonly pairs: readonly (readonly Pair[])[];
  /** By user, in order of first appearance, then by repeat. */
  readonly byUser: readonly (readonly (readonly Pair[])[])[];
  /** One a row, in the order of the rows. */
  readonly all: readonly Pair[];
  /** By row, the number of its question. */
  readonly questionOf: Int32Array;
  readonly questions: number;
}

/** Rows of other cells than `repeats` count for no score. */
export function scoredArm(rows: readonly ScoredRow[], repeats: readonly string[]): ScoredArm {
  const repeatOf = new Map(repeats.map((cell, r) => [cell, r]));
  const none = (): Pair[][] => repeats.map(() => []);
  const pairs = none();
  const users = new Map<string, Pair[][]>();
  const questions = new Map<string, number>();
  const questionOf = new Int32Array(rows.length);
  const all = rows.map((row, r) => {
    const pair = pairOf(row);
    const [user, repeat] = [row.user, repeatOf.get(row.cell) ?? -1];
    const own = users.get(user) ?? none();
    users.set(user, own);
    pairs[repeat]?.push(pair);
    own[repeat]?.push(pair);
    const question = questions.get(row.question) ?? questions.size;
    questions.set(row.question, question);
    questionOf[r] = question;
    return pair;
  });
  return { pairs, byUser: [...users.values()], all, questionOf, questions: questions.size };
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

/** The same of an arm whose rows are grouped. */
export function intervalOfArm(metric: Metric, arm: ScoredArm): Interval | undefined {
  const { byUser, pairs } = arm;
  if (byUser.length < MIN_USERS) return undefined;
  const own = ownValues(metric, arm);
  if (own === undefined) return undefined;
  const judged = beforeRoot(metric);
  const scores = scoresOfRepeats(judged, pairs);
  const found = scoreInterval({
    sums: repeatSums(judged, byUser),
    ...own,
    repeats: { sd: deviation(scores) ?? 0, count: Math.max(1, scores.length) },
  });
  if (found === undefined || judged === metric) return found;
  const printed = meanOfRepeats(metric, pairs) ?? 0;
  return { low: Math.min(printed, Math.sqrt(found.low)), high: Math.max(printed, Math.sqrt(found.high)) };
}

/** The variance of a mean over labels, users and repeats in it. Undefined below 10 users. */
export function labelVariance(
  metric: Metric,
  rows: readonly ScoredRow[],
  repeats: readonly string[],
): number | undefined {
  const { byUser, pairs } = scoredArm(rows, repeats);
  if (byUser.length < MIN_USERS) return undefined;
  const scores = scoresOfRepeats(metric, pairs);
  const { variance } = jackknifed(repeatSums(metric, byUser));
  return withRepeats(variance, byUser.length, [{ sd: deviation(scores) ?? 0, count: scores.length }]).variance;
}

// --- internal ---

interface OwnValues {
  readonly range: number;
  readonly answers: boolean;
  readonly values?: Float64Array;
}

/** What single questions have: values up to a known range, or, of a mean over labels, none. Undefined: nothing is known. */
function ownValues(metric: Metric, { all, questionOf, questions }: ScoredArm): OwnValues | undefined {
  if (metric.labels !== undefined) return { range: 1, answers: true };
  const isRoot = isRootOfMean(metric);
  if (metric.most === undefined || !(isRoot || isMean(metric))) return undefined;
  let range = isRoot ? metric.most ** 2 : metric.most;
  let answers = true;
  const [sums, counts] = [new Float64Array(questions), new Float64Array(questions)];
  const room = new Float64Array(1);
  for (const [r, pair] of all.entries()) {
    const value = valueIn(room, metric, pair);
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
