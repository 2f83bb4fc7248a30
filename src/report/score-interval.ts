import { type ClusterSums, grown, sumsBy } from "../statistics/cluster-sums.js";
import { type Interval, jackknifed, MIN_USERS, scoreInterval, withRepeats } from "../statistics/interval.js";
import { beforeRoot, isMean, isRootOfMean } from "../statistics/mean-metric.js";
import { deviation } from "../statistics/quantile.js";
import type { Metric } from "../types/index.js";
import { lenientPairOf, mean, pairOf, type Reading, type ScoredRow } from "./pairs.js";

/** The scored rows of an arm, grouped once for all its metrics. */
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

/** By row, the number of its user or question in order of first appearance, and how many there are. */
function numbersOf(
  rows: readonly ScoredRow[],
  of: "user" | "question",
): { readonly numbers: Int32Array; readonly count: number } {
  const known = new Map<string, number>();
  const numbers = Int32Array.from(rows, (row) => {
    const number = known.get(row[of]) ?? known.size;
    known.set(row[of], number);
    return number;
  });
  return { numbers, count: known.size };
}

/** What each row adds to the sums of a metric: row r what stands from starts[r] to starts[r+1]. */
interface Parts {
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly values: Float64Array;
}

/** Asks the metric once for each row. Throws ScoreError where the metric does. */
export function partsOf(metric: Metric, { rows }: Pick<ScoredArm, "rows">, reading: Reading = "strict"): Parts {
  const pair = reading === "strict" ? pairOf : lenientPairOf;
  const starts = new Int32Array(rows.length + 1);
  let slots = new Int32Array(rows.length);
  let values = new Float64Array(rows.length);
  const sums = new Float64Array(metric.width);
  let end = 0;
  for (const [r, row] of rows.entries()) {
    metric.add(pair(row), sums);
    for (let slot = 0; slot < sums.length; slot++) {
      const value = sums[slot]!;
      if (value === 0) continue;
      if (end === slots.length) {
        slots = grown(slots, new Int32Array(2 * end));
        values = grown(values, new Float64Array(2 * end));
      }
      slots[end] = slot;
      values[end++] = value;
      sums[slot] = 0;
    }
    starts[r + 1] = end;
  }
  return { starts, slots, values };
}

/** The score of each repeat that has rows. */
export function scoresOfArm(metric: Metric, { repeats, repeatOf }: ScoredArm, parts: Parts): number[] {
  const scores: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    const sums = new Float64Array(metric.width);
    let count = 0;
    for (let r = 0; r < repeatOf.length; r++) {
      if (repeatOf[r] !== repeat) continue;
      addParts(parts, r, sums, 0);
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
): Interval | undefined => {
  const arm = scoredArm(rows, repeats);
  if (arm.users < MIN_USERS) return undefined;
  const parts = partsOf(metric, arm);
  return intervalOfArm(metric, arm, parts, scoresOfArm(metric, arm, parts));
};

/** The same of an arm whose rows are grouped. `scores`: those of its repeats. */
export function intervalOfArm(
  metric: Metric,
  arm: ScoredArm,
  parts: Parts,
  scores: readonly number[],
): Interval | undefined {
  if (arm.users < MIN_USERS) return undefined;
  const known = ownValues(metric, arm, parts);
  if (known === undefined) return undefined;
  const judged = beforeRoot(metric);
  const ofRepeats = judged === metric ? scores : scoresOfArm(judged, arm, parts);
  const found = scoreInterval({
    sums: sumsOfArm(judged, arm, parts),
    ...known,
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
  const parts = partsOf(metric, arm);
  const scores = scoresOfArm(metric, arm, parts);
  const { variance } = jackknifed(sumsOfArm(metric, arm, parts));
  return withRepeats(variance, arm.users, [{ sd: deviation(scores) ?? 0, count: scores.length }]).variance;
}

/** By user; of an arm that ran several times the mean over its repeats. */
const sumsOfArm = (
  metric: Metric,
  { users, repeats, repeatOf, byUser, starts }: ScoredArm,
  parts: Parts,
): ClusterSums =>
  sumsBy(metric, { users, repeats: Math.max(1, repeats) }, (user, sums, step) => {
    let count = 0;
    for (let at = starts[user]!; at < starts[user + 1]!; at++) {
      const r = byUser[at]!;
      const repeat = repeatOf[r]!;
      if (repeat < 0) continue;
      addParts(parts, r, sums, repeat * step);
      if (repeats > 1) sums[repeat * step + metric.width]! += 1;
      count += 1;
    }
    return count;
  });

function addParts({ starts, slots, values }: Parts, r: number, sums: Float64Array, offset: number): void {
  for (let at = starts[r]!; at < starts[r + 1]!; at++) sums[offset + slots[at]!]! += values[at]!;
}

interface OwnValues {
  readonly range: number;
  readonly answers: boolean;
  readonly values?: Float64Array;
}

/** What single questions have: values up to a known range, or, of a mean over labels, none. Undefined: nothing is known. */
function ownValues(metric: Metric, { questionOf, questions }: ScoredArm, parts: Parts): OwnValues | undefined {
  if (metric.labels !== undefined) return { range: 1, answers: true };
  const isRoot = isRootOfMean(metric);
  if (metric.most === undefined || !(isRoot || isMean(metric))) return undefined;
  let range = isRoot ? metric.most ** 2 : metric.most;
  let answers = true;
  const [sums, counts] = [new Float64Array(questions), new Float64Array(questions)];
  for (let r = 0; r < questionOf.length; r++) {
    const value = parts.starts[r] === parts.starts[r + 1] ? 0 : parts.values[parts.starts[r]!]!; // one number wide
    range = Math.max(range, value);
    answers &&= metric.most === 1 && (value === 0 || value === 1);
    sums[questionOf[r]!]! += value;
    counts[questionOf[r]!]! += 1;
  }
  return { range, answers, values: sums.map((sum, question) => sum / counts[question]!) };
}
