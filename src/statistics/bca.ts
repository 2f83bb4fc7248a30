import { deviation } from "./deviation.js";
import { normalQuantile, normalUpperTail } from "./normal.js";
import { studentQuantile, studentUpperTail } from "./student.js";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What resampling told of one number. */
export interface Resampled {
  readonly estimate: number;
  /** Standard deviation of the resampled values. */
  readonly error: number;
  /** Ascending. */
  readonly sorted: Float64Array;
  readonly clusters: number;
  /** Median bias and acceleration, both 0 where the distribution is symmetric. */
  readonly bias: number;
  readonly acceleration: number;
}

/** Puts the resampled values in order, in place. `withoutOne`: the number without one cluster, for every cluster. */
export function resampled(estimate: number, values: Float64Array, withoutOne: Float64Array): Resampled {
  const sorted = values.sort();
  return {
    estimate,
    error: deviation(sorted) ?? 0,
    sorted,
    clusters: withoutOne.length,
    bias: biasOf(sorted, estimate),
    acceleration: accelerationOf(withoutOne),
  };
}

/**
 * Bias-corrected and accelerated interval, its shares widened for few clusters: t quantiles with clusters - 1 degrees of
 * freedom, and the factor sqrt(n / (n - 1)) by which the bootstrap's spread is too small. Shares stay in the data's range.
 * Source: Efron, JASA 82, 1987; widening: Hesterberg, The American Statistician 69(4), 2015, 5.3 (`CI.bca(expand = TRUE)` of R's resample).
 */
export function intervalOf(found: Resampled, level: number): Interval {
  const tail = (1 - level) / 2;
  return { low: bound(found, tail), high: bound(found, 1 - tail) };
}

/** One-sided bound: the number below which the true one lies with this confidence. */
export function bound(found: Resampled, confidence: number): number {
  return quantile(found.sorted, shareAt(found, studentQuantile(confidence, found.clusters - 1) * widening(found)));
}

/**
 * One-sided p of "the true number is at most `threshold`": the smallest risk whose lower bound lies above it. Where fewer than
 * FEW resamples lie on the far side they cannot tell how far away it is: there Student's tail of the distance in (widened)
 * standard errors counts if it is smaller. Never below what one resample more on the far side would give (Davison and
 * Hinkley, Bootstrap Methods, 1997, 4.2).
 */
export function pAtMost(found: Resampled, threshold: number): number {
  return pOfShare(
    found,
    threshold,
    countWhere(found.sorted, (value) => value <= threshold + ROUNDING),
    1,
  );
}

/** One-sided p of "the true number is at least `threshold`". */
export function pAtLeast(found: Resampled, threshold: number): number {
  return pOfShare(
    found,
    threshold,
    countWhere(found.sorted, (value) => value >= threshold - ROUNDING),
    -1,
  );
}

/** Quantile of ascending values by linear interpolation between order statistics (Hyndman and Fan's type 7). */
export function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (position - below);
}

// --- internal ---

/** Below this a difference of two sums is rounding, and counts for both sides. */
const ROUNDING = 1e-12;
/**
 * Fewer resamples than this beyond a threshold do not tell how far away it is: the bound of a skewed number never goes past
 * the last of them.
 */
const FEW = 5;

const widening = ({ clusters }: Resampled): number => Math.sqrt(clusters / (clusters - 1));

/** Where in the resampled values the standard normal `z` lies. */
function shareAt({ bias, acceleration }: Resampled, z: number): number {
  const moved = bias + z;
  const stretch = 1 - acceleration * moved;
  if (stretch <= 0) return moved > 0 ? 1 : 0;
  return normalUpperTail(-(bias + moved / stretch));
}

/** `side` 1: the share lies at the lower end; -1: at the upper end, which is the lower end of the mirrored distribution. */
function pOfShare(found: Resampled, threshold: number, count: number, side: 1 | -1): number {
  const floor = 1 / (found.sorted.length + 1);
  const share = (count + 1) / (found.sorted.length + 1);
  if (share >= 1) return 1;
  const p = pOfQuantile(found, share, side);
  return Math.max(floor, count < FEW && found.error > 0 ? Math.min(p, pOfDistance(found, threshold, side)) : p);
}

function pOfQuantile(found: Resampled, share: number, side: 1 | -1): number {
  const [bias, acceleration] = [side * found.bias, side * found.acceleration];
  const away = normalQuantile(share) - bias;
  const shrink = 1 + acceleration * away;
  if (shrink <= 0) return away > 0 ? 1 : 0;
  return studentUpperTail(-(away / shrink - bias) / widening(found), found.clusters - 1);
}

function pOfDistance(found: Resampled, threshold: number, side: 1 | -1): number {
  const distance = (side * (found.estimate - threshold)) / (found.error * widening(found));
  return studentUpperTail(distance, found.clusters - 1);
}

/**
 * Median bias: the normal quantile of the share of resamples below the estimate, ties counted half. The share is kept
 * inside (0, 1) by half a resample.
 */
function biasOf(sorted: Float64Array, estimate: number): number {
  const below = countWhere(sorted, (value) => value < estimate - ROUNDING);
  const above = countWhere(sorted, (value) => value > estimate + ROUNDING);
  const least = 0.5 / sorted.length;
  return normalQuantile(Math.min(1 - least, Math.max(least, (1 + (below - above) / sorted.length) / 2)));
}

function accelerationOf(withoutOne: Float64Array): number {
  const mean = meanOf(withoutOne);
  let [squares, cubes] = [0, 0];
  for (const value of withoutOne) {
    squares += (mean - value) ** 2;
    cubes += (mean - value) ** 3;
  }
  return squares <= ROUNDING ** 2 ? 0 : cubes / (6 * squares ** 1.5);
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function countWhere(values: Float64Array, holds: (value: number) => boolean): number {
  let count = 0;
  for (const value of values) if (holds(value)) count += 1;
  return count;
}
