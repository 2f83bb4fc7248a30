import { type ClusterSums, valueOfAll, valuesWithoutOne } from "./cluster-sums.js";
import { type Interval, MIN_USERS, type Repeats, withRepeats } from "./interval.js";
import { jackknifeVariance } from "./loss.js";
import { meanOf } from "./quantile.js";
import { studentQuantile, studentUpperTail } from "./student.js";
import { mixedDifference, swapOf, swapOfGains } from "./swap.js";

interface TrendRequest {
  /** The same users' sums of one metric at each step of an axis, in its order; two steps or more. */
  readonly steps: readonly ClusterSums[];
  /** Questions that were answered at every step. */
  readonly questions: number;
  /** Of each step. */
  readonly repeats: readonly Repeats[];
  /** Of a mean over questions: each step's sums of values by user. Absent: no such mean. */
  readonly userSums?: readonly (readonly number[])[];
  /** Whether the metric is the root of a mean. */
  readonly isRoot?: boolean;
  /** Of the draws above 13 users. */
  readonly seed: string | number;
}

export interface Trend {
  /** Change of the metric a step: the least-squares line over the steps, which count as equally far apart. */
  readonly slope: number;
  /** 95 %. Never a point. */
  readonly interval: Interval;
  /** Two-sided: the larger of the test that turns the order round for whole users and Student's. */
  readonly p: number;
}

/**
 * Whether a metric rises or falls along an axis, on the same users' questions. It is the test of a difference (`pairedDifference`)
 * with the slope in its place, and of two steps just that. Turning the order of the steps round changes the slope's sign for a user: exact
 * where the steps are interchangeable for each user (the linear contrast of Page's test, Page 1963, by randomization). Undefined below MIN_USERS users.
 */
export function trend(request: TrendRequest): Trend | undefined {
  const { steps, questions, repeats, isRoot = false } = request;
  const users = steps[0]?.counts.length ?? 0;
  if (users < MIN_USERS) return undefined;
  const weights = contrast(steps.length);
  const values = steps.map(valueOfAll);
  const slope = weighted(weights, values);
  const without = steps.map(valuesWithoutOne);
  const jackknife = jackknifeVariance(
    slope,
    Array.from({ length: users }, (_, u) =>
      weighted(
        weights,
        without.map((ofStep) => ofStep[u]!),
      ),
    ),
  );
  const mean = meanOf(values);
  const scale = isRoot && mean > 0 ? 2 * mean : 1;
  const squares = weights.reduce((sum, weight) => sum + weight ** 2, 0);
  const { variance, degrees } = withRepeats(
    jackknife + squares / (questions * scale) ** 2,
    users,
    repeats.map(({ sd, count }, j) => ({ sd: Math.abs(weights[j]!) * sd, count })),
  );
  const error = Math.sqrt(variance);
  const half = studentQuantile(0.975, degrees) * error;
  const student = Math.min(1, 2 * studentUpperTail(Math.abs(slope) / error, degrees));
  const p = Math.max(student, turnedP(request, weights) ?? 0);
  return { slope, interval: { low: slope - half, high: slope + half }, p };
}

/** Weights that add up to 0 and give the least-squares slope over equal steps. */
function contrast(steps: number): number[] {
  const centred = Array.from({ length: steps }, (_, j) => j - (steps - 1) / 2);
  const squares = centred.reduce((sum, place) => sum + place ** 2, 0);
  return centred.map((place) => place / squares);
}

const weighted = (weights: readonly number[], values: readonly number[]): number =>
  weights.reduce((sum, weight, j) => sum + weight * values[j]!, 0);

/** Undefined where the repeats of steps that would change places are not as many. */
function turnedP({ steps, repeats, userSums, seed }: TrendRequest, weights: readonly number[]): number | undefined {
  const last = steps.length - 1;
  if (userSums !== undefined) {
    const byUser = userSums[0]!.map((_, u) => userSums.reduce((sum, ofStep, j) => sum + weights[j]! * ofStep[u]!, 0));
    return swapOfGains(byUser, seed);
  }
  if (repeats.some(({ count }, j) => count !== repeats[last - j]!.count)) return undefined;
  // Step j changes places with step last - j, whose weight is the opposite.
  const differences = weights.flatMap((weight, j) =>
    weight > 0 ? [{ weight, of: mixedDifference(steps[last - j]!, steps[j]!) }] : [],
  );
  return swapOf(steps[0]!.counts.length, seed, (isTurned) =>
    differences.reduce((sum, { weight, of }) => sum + weight * of(isTurned), 0),
  );
}
