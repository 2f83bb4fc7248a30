import { betaInterval, type Interval } from "../../statistics/interval.js";
import { wilson } from "../../statistics/wilson.js";
import { errorsPrintedAs, hitsPrintedAs, largestFourthPowers } from "./implied-counts.js";

/** A value and how sure it is. */
export interface Estimate extends Interval {
  readonly value: number;
}

/** What stands in one row of a paper for one task, by metric, and how many questions are behind it. */
export interface PrintedRow {
  readonly values: Readonly<Record<string, string>>;
  readonly count: number;
}

/**
 * What a printed value says of the paper's own error, each question taken as one user's: Wilson's interval of the derived hits; of
 * errors the beta interval by the derived error sums (for RMSE by the largest sum of fourth powers that they allow). Undefined for
 * other metrics, and where no whole counts print so.
 */
export function theirEstimate(metric: string, { values, count }: PrintedRow): Estimate | undefined {
  if (metric === "accuracy") {
    const hits = hitsPrintedAs(asShare(values.accuracy ?? ""), count);
    return hits[0] === undefined || hits.length > 1 ? undefined : { value: hits[0] / count, ...wilson(hits[0], count) };
  }
  const { mae, rmse } = values;
  if ((metric !== "mae" && metric !== "rmse") || mae === undefined || rmse === undefined) return undefined;
  const sums = errorsPrintedAs(mae, rmse, count);
  if (sums?.squaredSum === undefined) return undefined;
  const [mean, square] = [sums.sum / count, sums.squaredSum / count];
  if (metric === "mae") return scaled(mean, (square - mean ** 2) / (count - 1), 4, count);
  const fourth = largestFourthPowers(sums.sum, sums.squaredSum, count) / count;
  const found = scaled(square, (fourth - square ** 2) / (count - 1), 16, count);
  return { value: Math.sqrt(found.value), low: Math.sqrt(found.low), high: Math.sqrt(found.high) };
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

// --- internal ---

function scaled(value: number, variance: number, range: number, users: number): Estimate {
  const found = betaInterval({ value: value / range, variance: variance / range ** 2, degrees: users - 1, users });
  return { value, low: Math.min(value, range * found.low), high: Math.max(value, range * found.high) };
}
