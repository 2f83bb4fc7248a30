import { betaInterval, type Interval } from "../../statistics/interval.js";
import { wilson } from "../../statistics/wilson.js";
import { printedNumber } from "../papers/paper.js";
import { errorsPrintedAs, hitsPrintedAs, largestFourthPowers } from "./implied-counts.js";

export interface Estimate extends Interval {
  readonly value: number;
}

/** What stands in one row of a paper for one task, by metric, and how many questions are behind it. */
interface PrintedRow {
  readonly values: Readonly<Record<string, string>>;
  readonly count: number;
}

/**
 * What a printed value says of the paper's own error, each question taken as one user's: Wilson's interval of the derived hits; of
 * errors the beta interval by the derived error sums (for RMSE by the largest sum of fourth powers that they allow). No printed value
 * tells the error of a mean over labels: there it is `borrowed`, the variance of one question of ours. Undefined for other metrics,
 * and where no whole counts print so.
 */
export function theirEstimate(metric: string, row: PrintedRow, borrowed?: number): Estimate | undefined {
  const { values, count } = row;
  if (metric === "accuracy") {
    const hits = hitsPrintedAs(asShare(values.accuracy ?? ""), count);
    return hits[0] === undefined || hits.length > 1 ? undefined : { value: hits[0] / count, ...wilson(hits[0], count) };
  }
  if (borrowed !== undefined) {
    const value = printedNumber(values[metric] ?? "-");
    return value === undefined ? undefined : scaled({ value, variance: borrowed / count }, 1, count);
  }
  const errors = theirErrors(metric, row);
  if (errors === undefined) return undefined;
  if (metric === "mae") return scaled(errors, 4, count);
  const { value, low, high } = scaled(errors, 16, count);
  return { value: Math.sqrt(value), low: Math.sqrt(low), high: Math.sqrt(high) };
}

/**
 * 95 % interval of ours minus theirs, both errors in it. Source: Newcombe, Statistics in Medicine 17, 1998; Zou and Donner 2008.
 */
export function differenceOf(ours: Estimate, theirs: Estimate): Interval {
  const difference = ours.value - theirs.value;
  return {
    low: difference - Math.hypot(ours.value - ours.low, theirs.high - theirs.value),
    high: difference + Math.hypot(ours.high - ours.value, theirs.value - theirs.low),
  };
}

/** Half a unit of the last printed digit: what rounding may have moved a value by. */
export function roundingOf(printed: string): number {
  const digits = printed.replace(/%$/, "").split(".")[1]?.length ?? 0;
  return 0.5 * 10 ** -(digits + (printed.endsWith("%") ? 2 : 0));
}

/** `55.0%` as `0.550`: as many digits. */
export function asShare(printed: string): string {
  if (!printed.endsWith("%")) return printed;
  const digits = printed.slice(0, -1).split(".")[1]?.length ?? 0;
  return (Number(printed.slice(0, -1)) / 100).toFixed(digits + 2);
}

/** MAE, or for `rmse` the mean squared error, with its variance, as the printed pair implies them. */
function theirErrors(metric: string, { values: { mae, rmse }, count }: PrintedRow): Spread | undefined {
  if ((metric !== "mae" && metric !== "rmse") || mae === undefined || rmse === undefined) return undefined;
  const sums = errorsPrintedAs(mae, rmse, count);
  if (sums?.squaredSum === undefined) return undefined;
  const [mean, square] = [sums.sum / count, sums.squaredSum / count];
  if (metric === "mae") return { value: mean, variance: (square - mean ** 2) / (count - 1) };
  const fourth = largestFourthPowers(sums.sum, sums.squaredSum, count) / count;
  return { value: square, variance: (fourth - square ** 2) / (count - 1) };
}

interface Spread {
  readonly value: number;
  readonly variance: number;
}

function scaled({ value, variance }: Spread, range: number, users: number): Estimate {
  const share = { value: value / range, variance: variance / range ** 2, degrees: users - 1, users };
  const found = betaInterval(range === 1 ? { ...share, most: users } : share);
  return { value, low: Math.min(value, range * found.low), high: Math.max(value, range * found.high) };
}
