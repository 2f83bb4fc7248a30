import { betaInterval, type Interval } from "../../statistics/interval.js";
import { wilson } from "../../statistics/wilson.js";
import { printedNumber } from "../papers/paper.js";
import { asShare, errorsPrintedAs, hitsPrintedAs, largestFourthPowers } from "./implied.js";

export interface Estimate extends Interval {
  readonly value: number;
}

/** What stands in one row of a paper for one task, by metric, and how many questions are behind it. */
interface PrintedRow {
  readonly values: Readonly<Record<string, string>>;
  readonly count: number;
  /** Variance of one question of ours, for a mean over labels. */
  readonly borrowed?: number | undefined;
}

/** Returns the 95 % interval of ours minus the printed value, the rounding in it; undefined where the paper's error cannot be derived. */
export function differenceFrom(ours: Estimate, metric: string, row: PrintedRow): Interval | undefined {
  const theirs = theirEstimate(metric, row);
  if (theirs === undefined) return undefined;
  const { low, high } = differenceOf(ours, theirs);
  const printed = row.values[metric] ?? "";
  const half = 0.5 * 10 ** -(asShare(printed).split(".")[1]?.length ?? 0); // what rounding may have moved it by
  return { low: low - half, high: high + half };
}

/**
 * Returns what a printed value says of the paper's own error, each question taken as one user's: Wilson's interval of the derived hits;
 * of errors the beta interval by the derived error sums; of a mean over labels by the borrowed variance. Undefined for others.
 */
export function theirEstimate(metric: string, { values, count, borrowed }: PrintedRow): Estimate | undefined {
  if (metric === "accuracy") {
    const [hits, ...more] = hitsPrintedAs(asShare(values.accuracy ?? ""), count);
    return hits === undefined || more.length > 0 ? undefined : { value: hits / count, ...wilson(hits, count) };
  }
  if (borrowed !== undefined) {
    const value = printedNumber(values[metric] ?? "-");
    return value === undefined ? undefined : scaled({ value, variance: borrowed / count }, 1, count);
  }
  const { mae, rmse } = values;
  const sums = mae === undefined || rmse === undefined ? undefined : errorsPrintedAs(mae, rmse, count);
  if (sums?.squaredSum === undefined || (metric !== "mae" && metric !== "rmse")) return undefined;
  const [mean, square] = [sums.sum / count, sums.squaredSum / count];
  if (metric === "mae") return scaled({ value: mean, variance: (square - mean ** 2) / (count - 1) }, 4, count);
  const fourth = largestFourthPowers(sums.sum, sums.squaredSum, count) / count;
  const found = scaled({ value: square, variance: (fourth - square ** 2) / (count - 1) }, 16, count);
  return { value: Math.sqrt(found.value), low: Math.sqrt(found.low), high: Math.sqrt(found.high) };
}

/** Returns the 95 % interval of ours minus theirs. Source: Newcombe, Statistics in Medicine 17, 1998; Zou and Donner 2008. */
export function differenceOf(ours: Estimate, theirs: Estimate): Interval {
  const difference = ours.value - theirs.value;
  return {
    low: difference - Math.hypot(ours.value - ours.low, theirs.high - theirs.value),
    high: difference + Math.hypot(ours.high - ours.value, theirs.value - theirs.low),
  };
}

function scaled(given: { readonly value: number; readonly variance: number }, range: number, users: number): Estimate {
  const { value, variance } = given;
  const share = { value: value / range, variance: variance / range ** 2, degrees: users - 1, users };
  const found = betaInterval(range === 1 ? { ...share, most: users } : share);
  return { value, low: Math.min(value, range * found.low), high: Math.max(value, range * found.high) };
}
