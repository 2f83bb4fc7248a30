import { seeded } from "../random/seeded.js";
import { type ClusterSums, valueOfAll, valuesWithoutOne } from "./cluster-sums.js";
import { type Interval, MIN_USERS, type Repeats, withRepeats } from "./interval.js";
import { jackknifeVariance } from "./loss.js";
import { studentQuantile, studentUpperTail } from "./student.js";

/** The same users' sums of one metric in both arms. */
export interface PairedSums {
  readonly a: ClusterSums;
  readonly b: ClusterSums;
}

export interface DifferenceRequest extends PairedSums {
  /** Questions that both answered. */
  readonly questions: number;
  readonly repeats: { readonly a: Repeats; readonly b: Repeats };
  /** Of a mean over questions: each user's sum of differences, b - a, of its questions' means over repeats. Absent: no such mean. */
  readonly userGains?: readonly number[];
  /** Whether the metric is the root of a mean, which one question of squared error 1 moves by its slope. */
  readonly isRoot?: boolean;
  /** Of the draws of the swap test above 13 users. */
  readonly seed: string | number;
}

export interface PairedDifference {
  /** 95 %, of value(b) - value(a). Never a point. */
  readonly interval: Interval;
  /** Two-sided: the larger of the swap test's and Student's. At most .05 only where 0 is outside the interval. */
  readonly p: number;
}

/**
 * Difference of a metric between two arms on the same users' questions. Interval and Student's p: jackknife over users, two
 * questions added of which one was gained and one lost (as Bonett and Price, J. Educ. Behav. Stat. 37, 2012, for pairs), and the
 * repeats' noise. Swap test: both arms' answers of whole users exchanged, exact where the arms are interchangeable for each
 * user (Fisher 1935; Pitman 1937). Undefined below MIN_USERS users.
 */
export function pairedDifference(request: DifferenceRequest): PairedDifference | undefined {
  const found = studentDifference(request);
  if (found === undefined) return undefined;
  const { difference, error, degrees } = found;
  const student = Math.min(1, 2 * studentUpperTail(Math.abs(difference) / error, degrees));
  return { interval: found.interval, p: Math.max(student, swapP(request) ?? 0) };
}

/** The interval alone. */
export function studentDifference({
  a,
  b,
  questions,
  repeats,
  isRoot = false,
}: Omit<DifferenceRequest, "seed" | "userGains">):
  | { readonly difference: number; readonly error: number; readonly degrees: number; readonly interval: Interval }
  | undefined {
  const users = a.counts.length;
  if (users < MIN_USERS) return undefined;
  const [valueA, valueB] = [valueOfAll(a), valueOfAll(b)];
  const [withoutA, withoutB] = [valuesWithoutOne(a), valuesWithoutOne(b)];
  const difference = valueB - valueA;
  const jackknife = jackknifeVariance(
    difference,
    withoutB.map((value, u) => value - withoutA[u]!),
  );
  // One question of squared error 1 more moves a root of a mean by 1 / (N times twice the root).
  const scale = isRoot && valueA + valueB > 0 ? valueA + valueB : 1;
  const { variance, degrees } = withRepeats(jackknife + 2 / (questions * scale) ** 2, users, [repeats.a, repeats.b]);
  const error = Math.sqrt(variance);
  const half = studentQuantile(0.975, degrees) * error;
  return { difference, error, degrees, interval: { low: difference - half, high: difference + half } };
}

/** Two-sided p of the swap test. Undefined where the arms' repeats cannot be exchanged. */
export function swapP({ a, b, repeats, userGains, seed }: DifferenceRequest): number | undefined {
  if (userGains !== undefined) return swapOf(userGains.length, seed, (isSwapped) => signedSum(userGains, isSwapped));
  if (repeats.a.count !== repeats.b.count) return undefined;
  return swapOf(a.counts.length, seed, mixedDifference(a, b));
}

// --- internal ---

const ROUNDING = 1e-12;
/** All patterns up to so many users, draws above. */
const MOST_EXHAUSTIVE = 13;
const DRAWS = 9_999;
/** Bytes. */
const MOST_KEPT = 2e7;

function swapOf(users: number, seed: string | number, difference: (isSwapped: Uint8Array) => number): number {
  const isSwapped = new Uint8Array(users);
  const seen = Math.abs(difference(isSwapped)) - ROUNDING;
  let count = 0;
  if (users <= MOST_EXHAUSTIVE) {
    for (let pattern = 0; pattern < 2 ** users; pattern++) {
      for (let u = 0; u < users; u++) isSwapped[u] = (pattern >> u) & 1;
      if (Math.abs(difference(isSwapped)) >= seen) count += 1;
    }
    return count / 2 ** users;
  }
  const patternOf = patterns(users, seed);
  for (let draw = 0; draw < DRAWS; draw++) if (Math.abs(difference(patternOf(draw))) >= seen) count += 1;
  return (1 + count) / (1 + DRAWS);
}

/** All metrics of a comparison, and all comparisons of a run, see the same draws: the last ones are kept, if they are not too many. */
let kept: { readonly of: string; readonly drawn: Uint8Array } | undefined;

/** Who is swapped in each draw, asked for in order. */
function patterns(users: number, seed: string | number): (draw: number) => Uint8Array {
  const of = `${users} ${seed}`;
  const isKept = users * DRAWS <= MOST_KEPT;
  if (isKept && kept?.of !== of) {
    const random = seeded(seed);
    kept = { of, drawn: Uint8Array.from({ length: users * DRAWS }, () => random.below(2)) };
  }
  const drawn = kept?.drawn;
  if (isKept && drawn !== undefined) return (draw) => drawn.subarray(draw * users, (draw + 1) * users);
  const random = seeded(seed);
  const room = new Uint8Array(users);
  return () => room.fill(0).map(() => random.below(2));
}

function signedSum(gains: readonly number[], isSwapped: Uint8Array): number {
  let sum = 0;
  for (let u = 0; u < gains.length; u++) sum += isSwapped[u] === 1 ? -gains[u]! : gains[u]!;
  return sum;
}

/**
 * value(b) - value(a) where some users' answers are swapped: what swapping a user moves from one arm to the other is added up, so
 * that users with equal answers cost nothing.
 */
function mixedDifference(a: ClusterSums, b: ClusterSums): (isSwapped: Uint8Array) => number {
  const [ofA, ofB] = [totalsOf(a), totalsOf(b)];
  const moves = movesOf(a, b);
  const roomA = new Float64Array(ofA.sums.length);
  const roomB = new Float64Array(ofB.sums.length);
  return (isSwapped) => {
    roomA.set(ofA.sums);
    roomB.set(ofB.sums);
    let pairs = 0;
    for (let u = 0; u < isSwapped.length; u++) {
      if (isSwapped[u] === 0) continue;
      const { slots, values, count } = moves[u]!;
      pairs += count;
      for (let at = 0; at < slots.length; at++) {
        roomA[slots[at]!]! += values[at]!;
        roomB[slots[at]!]! -= values[at]!;
      }
    }
    return b.metric.value(roomB, ofB.pairs - pairs) - a.metric.value(roomA, ofA.pairs + pairs);
  };
}

function totalsOf({ metric, counts, slots, values }: ClusterSums): {
  readonly sums: Float64Array;
  readonly pairs: number;
} {
  const sums = new Float64Array(metric.width);
  for (const [at, slot] of slots.entries()) sums[slot]! += values[at]!;
  return { sums, pairs: counts.reduce((total, count) => total + count, 0) };
}

/** What b has more than a, of each user; zeros left out. */
function movesOf(a: ClusterSums, b: ClusterSums): { slots: Int32Array; values: Float64Array; count: number }[] {
  const room = new Float64Array(a.metric.width);
  return Array.from(a.counts, (count, u) => {
    room.fill(0);
    for (let at = b.starts[u]!; at < b.starts[u + 1]!; at++) room[b.slots[at]!]! += b.values[at]!;
    for (let at = a.starts[u]!; at < a.starts[u + 1]!; at++) room[a.slots[at]!]! -= a.values[at]!;
    const slots = Int32Array.from([...room.keys()].filter((slot) => room[slot] !== 0));
    return { slots, values: Float64Array.from(slots, (slot) => room[slot]!), count: b.counts[u]! - count };
  });
}
