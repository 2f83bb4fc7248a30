import { repeatSums } from "../statistics/cluster-sums.js";
import { deviation } from "../statistics/deviation.js";
import { type Interval, jackknifed, MIN_USERS, scoreInterval, withRepeats } from "../statistics/interval.js";
import { beforeRoot, isMean, isRootOfMean } from "../statistics/mean-metric.js";
import type { Metric, Pair } from "../types.js";
import { groupBy } from "./grouped.js";
import { pairOf, type ScoredRow } from "./pairs.js";
import { meanOfRepeats, pairsByRepeat, scoresOfRepeats } from "./repeats.js";

/**
 * 95 % interval of an arm's printed score, for users drawn like these (docs/STATISTICS.md). RMSE by its squared errors.
 * Undefined below 10 users, and for a metric whose largest value is not known.
 */
export function intervalOfRows(
  metric: Metric,
  rows: readonly ScoredRow[],
  repeats: readonly string[],
): Interval | undefined {
  const byUser = groupBy(rows, ({ user }) => user);
  const own = ownValues(metric, rows);
  if (byUser.size < MIN_USERS || own === undefined) return undefined;
  const judged = beforeRoot(metric);
  const all = pairsByRepeat(rows, repeats);
  const scores = scoresOfRepeats(judged, all);
  const found = scoreInterval({
    sums: repeatSums(
      judged,
      [...byUser.values()].map((ofUser) => pairsByRepeat(ofUser, repeats)),
    ),
    ...own,
    repeats: { sd: deviation(scores) ?? 0, count: Math.max(1, scores.length) },
  });
  if (found === undefined || judged === metric) return found;
  const printed = meanOfRepeats(metric, all) ?? 0;
  return { low: Math.min(printed, Math.sqrt(found.low)), high: Math.max(printed, Math.sqrt(found.high)) };
}

/** The variance of a mean over labels, users and repeats in it. Undefined below 10 users. */
export function labelVariance(
  metric: Metric,
  rows: readonly ScoredRow[],
  repeats: readonly string[],
): number | undefined {
  const byUser = groupBy(rows, ({ user }) => user);
  if (byUser.size < MIN_USERS) return undefined;
  const scores = scoresOfRepeats(metric, pairsByRepeat(rows, repeats));
  const ofUsers = [...byUser.values()].map((ofUser) => pairsByRepeat(ofUser, repeats));
  const { variance } = jackknifed(repeatSums(metric, ofUsers));
  return withRepeats(variance, byUser.size, [{ sd: deviation(scores) ?? 0, count: scores.length }]).variance;
}

// --- internal ---

interface OwnValues {
  readonly range: number;
  readonly answers: boolean;
  readonly values?: Float64Array;
}

/** What single questions have: values up to a known range, or, of a mean over labels, none. Undefined: nothing is known. */
function ownValues(metric: Metric, rows: readonly ScoredRow[]): OwnValues | undefined {
  if (metric.labels !== undefined) return { range: 1, answers: true };
  const isRoot = isRootOfMean(metric);
  if (metric.most === undefined || !(isRoot || isMean(metric))) return undefined;
  let range = isRoot ? metric.most ** 2 : metric.most;
  let answers = true;
  const questions = new Map<string, { sum: number; count: number }>();
  const room = new Float64Array(1);
  for (const row of rows) {
    const value = valueIn(room, metric, pairOf(row));
    range = Math.max(range, value);
    answers &&= metric.most === 1 && (value === 0 || value === 1);
    const question = questions.get(row.question) ?? { sum: 0, count: 0 };
    question.sum += value;
    question.count += 1;
    questions.set(row.question, question);
  }
  return { range, answers, values: Float64Array.from(questions.values(), ({ sum, count }) => sum / count) };
}

function valueIn(room: Float64Array, metric: Metric, pair: Pair): number {
  room[0] = 0;
  metric.add(pair, room);
  return room[0];
}
