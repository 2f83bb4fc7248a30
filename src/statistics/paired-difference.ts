import { type ClusterSums, valueOfAll, valuesWithoutOne } from "./cluster-sums.js";
import { type Interval, MIN_USERS, type Repeats, withRepeats } from "./interval.js";
import { jackknifeVariance } from "./loss.js";
import { type Power, powerOf, type Scatter } from "./power.js";
import { studentQuantile, studentUpperTail } from "./student.js";
import { mixedDifference, swapOf, swapOfGains } from "./swap.js";

/** The same users' sums of one metric in both arms. */
interface PairedSums {
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

/** What users like these would find. Undefined below MIN_USERS users. */
export function differencePower(request: Omit<DifferenceRequest, "seed" | "userGains">): Power | undefined {
  const found = studentDifference(request);
  return found && powerOf(found.difference, found.scatter);
}

/** The interval alone. */
export function studentDifference({
  a,
  b,
  questions,
  repeats,
  isRoot = false,
}: Omit<DifferenceRequest, "seed" | "userGains">):
  | {
      readonly difference: number;
      readonly error: number;
      readonly degrees: number;
      readonly interval: Interval;
      readonly scatter: Scatter;
    }
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
  const ofTwo = 2 / (questions * scale) ** 2;
  const both = [repeats.a, repeats.b];
  const { variance, degrees } = withRepeats(jackknife + ofTwo, users, both);
  const error = Math.sqrt(variance);
  const half = studentQuantile(0.975, degrees) * error;
  return {
    difference,
    error,
    degrees,
    interval: { low: difference - half, high: difference + half },
    scatter: { users, ofUsers: jackknife, ofTwo, repeats: both },
  };
}

/** Two-sided p of the swap test. Undefined where the arms' repeats cannot be exchanged. */
export function swapP({ a, b, repeats, userGains, seed }: DifferenceRequest): number | undefined {
  if (userGains !== undefined) return swapOfGains(userGains, seed);
  if (repeats.a.count !== repeats.b.count) return undefined;
  return swapOf(a.counts.length, seed, mixedDifference(a, b));
}
