import { seeded } from "../random/seeded.js";
import type { ClusterSums } from "./cluster-sums.js";

/**
 * Two-sided p of a sum of users' gains by all patterns of users who are swapped: exact where the gains are whole numbers, or multiples of
 * a fraction as means over repeats are, by adding up one user after the other; else, and where that is too much work, as `swapOf`.
 */
export function swapOfGains(gains: readonly number[], seed: string | number): number {
  const whole = wholeGains(gains);
  const total = whole?.reduce((sum, gain) => sum + Math.abs(gain), 0) ?? Number.POSITIVE_INFINITY;
  if (whole === undefined || gains.length * total > MOST_ADDED)
    return swapOf(gains.length, seed, (isSwapped) => signedSum(gains, isSwapped));
  // Swaps give total - 2 * moved, where each |gain| is moved or not: the chances of each sum moved.
  const chances = new Float64Array(total + 1);
  chances[0] = 1;
  let reach = 0;
  for (const gain of whole) {
    const step = Math.abs(gain);
    if (step === 0) continue;
    reach += step;
    for (let moved = reach; moved >= 0; moved--)
      chances[moved] = (chances[moved]! + (moved < step ? 0 : chances[moved - step]!)) / 2;
  }
  const seen = Math.abs(whole.reduce((sum, gain) => sum + gain, 0));
  return chances.reduce((p, chance, moved) => (Math.abs(total - 2 * moved) >= seen ? p + chance : p), 0);
}

/** Two-sided p of a difference by all patterns of users who are swapped; of seeded draws above 13 users. */
export function swapOf(users: number, seed: string | number, difference: (isSwapped: Uint8Array) => number): number {
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

/** The sum of users' gains, those of swapped users with the other sign. */
function signedSum(gains: readonly number[], isSwapped: Uint8Array): number {
  let sum = 0;
  for (let u = 0; u < gains.length; u++) sum += isSwapped[u] === 1 ? -gains[u]! : gains[u]!;
  return sum;
}

/**
 * value(b) - value(a) where some users' answers are swapped: what swapping a user moves from one arm to the other is added up, so
 * that users with equal answers cost nothing.
 */
export function mixedDifference(a: ClusterSums, b: ClusterSums): (isSwapped: Uint8Array) => number {
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

const ROUNDING = 1e-12;
/** All patterns up to so many users, draws above. */
const MOST_EXHAUSTIVE = 13;
const DRAWS = 9_999;
/** Most additions of an exact p: a tenth of a second. */
const MOST_ADDED = 1e8;
/** Largest denominator of means over repeats. */
const MOST_PARTS = 60;
/** Bytes. */
const MOST_KEPT = 2e7;

/** The gains times the least number that makes them whole; undefined where none does. */
function wholeGains(gains: readonly number[]): readonly number[] | undefined {
  for (let parts = 1; parts <= MOST_PARTS; parts++) {
    const rounded = gains.map((gain) => Math.round(gain * parts));
    if (gains.every((gain, u) => Math.abs(gain * parts - rounded[u]!) <= 1e-9)) return rounded;
  }
  return undefined;
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
