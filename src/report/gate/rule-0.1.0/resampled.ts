import { seeded } from "../../../random/seeded.js";
import { type ClusterSums, valueOfAll, valueOfWeighted, valuesWithoutOne } from "../../../statistics/cluster-sums.js";
import { deviation } from "../../../statistics/deviation.js";
import { normalQuantile, normalUpperTail } from "../../../statistics/normal.js";
import { studentQuantile, studentUpperTail } from "../../../statistics/student.js";

/** The same users' sums of one metric in both arms, in the order in which b - a is the gain. */
export interface ArmSums {
  readonly a: ClusterSums;
  readonly b: ClusterSums;
}

/** What resampling told of one gain. */
export interface ResampledGain {
  readonly gain: number;
  /** Standard deviation of the resampled gains, which stand in ascending order. */
  readonly error: number;
  readonly sorted: Float64Array;
  readonly users: number;
  /** Median bias and acceleration, both 0 where the distribution is symmetric. */
  readonly bias: number;
  readonly acceleration: number;
}

/** 10,000 resamples of whole users, the same draws for both arms and for all metrics. */
export function resampledGains(sums: readonly ArmSums[], seed: number): readonly ResampledGain[] {
  const gains = drawnGains(sums, seed);
  return sums.map(({ a, b }, s) => {
    const gain = valueOfAll(b) - valueOfAll(a);
    const sorted = gains[s]!.sort();
    return {
      gain,
      error: deviation(sorted) ?? 0,
      sorted,
      users: a.counts.length,
      bias: biasOf(sorted, gain),
      acceleration: accelerationOf(minus(valuesWithoutOne(b), valuesWithoutOne(a))),
    };
  });
}

/** One-sided bound by Efron's BCa (JASA 82, 1987), its share widened for few users (Hesterberg, The American Statistician 69(4), 2015). */
export function bound(found: ResampledGain, confidence: number): number {
  const share = shareAt(found, studentQuantile(confidence, found.users - 1) * widening(found));
  const { sorted } = found;
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below]!;
  return low + (sorted[Math.min(below + 1, sorted.length - 1)]! - low) * (position - below);
}

/** One-sided p of "the true gain is `threshold` or more". */
export function pAtLeast(found: ResampledGain, threshold: number): number {
  const { sorted, error, gain } = found;
  const count = countWhere(sorted, (value) => value >= threshold - ROUNDING);
  const share = (count + 1) / (sorted.length + 1);
  if (share >= 1) return 1;
  const p = pOfShare(found, share);
  const distance = (threshold - gain) / (error * widening(found));
  const least = count < FEW && error > 0 ? Math.min(p, studentUpperTail(distance, found.users - 1)) : p;
  return Math.max(1 / (sorted.length + 1), least);
}

const RESAMPLES = 10_000;
const ROUNDING = 1e-12;
/** Fewer resamples than these on the far side do not tell how far away it is. */
const FEW = 5;

function drawnGains(sums: readonly ArmSums[], seed: number): Float64Array[] {
  const users = sums[0]?.a.counts.length ?? 0;
  const random = seeded(seed);
  const weights = new Int32Array(users);
  const scoreOf = (arm: ClusterSums) => {
    const totals = new Float64Array(arm.metric.width);
    return () => valueOfWeighted(arm, weights, totals);
  };
  const values = sums.map(({ a, b }) => ({ a: scoreOf(a), b: scoreOf(b) }));
  const gains = sums.map(() => new Float64Array(RESAMPLES));
  for (let i = 0; i < RESAMPLES; i++) {
    weights.fill(0);
    for (let draw = 0; draw < users; draw++) weights[random.below(users)]! += 1;
    for (const [s, { a, b }] of values.entries()) gains[s]![i] = b() - a();
  }
  return gains;
}

const minus = (b: Float64Array, a: Float64Array): Float64Array => b.map((value, i) => value - a[i]!);

const widening = ({ users }: ResampledGain): number => Math.sqrt(users / (users - 1));

/** Where in the resampled gains the standard normal `z` lies. */
function shareAt({ bias, acceleration }: ResampledGain, z: number): number {
  const moved = bias + z;
  const stretch = 1 - acceleration * moved;
  if (stretch <= 0) return moved > 0 ? 1 : 0;
  return normalUpperTail(-(bias + moved / stretch));
}

/** Of a share at the upper end, which is the lower end of the mirrored distribution. */
function pOfShare(found: ResampledGain, share: number): number {
  const away = normalQuantile(share) + found.bias;
  const shrink = 1 - found.acceleration * away;
  if (shrink <= 0) return away > 0 ? 1 : 0;
  return studentUpperTail(-(away / shrink + found.bias) / widening(found), found.users - 1);
}

/** Ties count half. As far as so many resamples can tell. */
function biasOf(sorted: Float64Array, gain: number): number {
  const below = countWhere(sorted, (value) => value < gain - ROUNDING);
  const above = countWhere(sorted, (value) => value > gain + ROUNDING);
  const least = 0.5 / sorted.length;
  return normalQuantile(Math.min(1 - least, Math.max(least, (1 + (below - above) / sorted.length) / 2)));
}

function accelerationOf(withoutOne: Float64Array): number {
  const mean = withoutOne.reduce((sum, value) => sum + value, 0) / withoutOne.length;
  let [squares, cubes] = [0, 0];
  for (const value of withoutOne) {
    squares += (mean - value) ** 2;
    cubes += (mean - value) ** 3;
  }
  return squares <= ROUNDING ** 2 ? 0 : cubes / (6 * squares ** 1.5);
}

function countWhere(values: Float64Array, holds: (value: number) => boolean): number {
  let count = 0;
  for (const value of values) if (holds(value)) count += 1;
  return count;
}
