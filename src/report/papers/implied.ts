import type { Interval } from "../../results/inference.js";
import { incompleteBeta } from "../../results/student.js";

// Arithmetic on printed digits. Printed values are taken as rounded half up: 35 of 112 prints as .313. Sums are of integers: binary rounding changes nothing.

/** Writes `55.0%` as `0.550`: as many digits. */
export const asShare = (printed: string): string =>
  printed.endsWith("%") ? (Number.parseFloat(printed) / 100).toFixed(decimals(printed.slice(0, -1)) + 2) : printed;

export const decimals = (printed: string): number => printed.split(".")[1]?.length ?? 0;

/** Returns a printed value as a number; undefined for the dash. */
export const printedNumber = (printed: string): number | undefined =>
  printed === "-" ? undefined : Number(asShare(printed));

/** Returns the whole numbers of right answers (or sums of errors) among `count` that print as this share. */
export function hitsPrintedAs(printed: string, count: number, most = count): number[] {
  const [share, unit] = digitsOf(printed);
  return between(((2 * share - 1) * count) / (2 * unit), ((2 * share + 1) * count) / (2 * unit), most);
}

/** Sums of squares among `count` whose root of the mean prints so, or `off` units of the last digit away. */
function squaresPrintedAs(printed: string, count: number, off: number): number[] {
  const [root, unit] = digitsOf(printed);
  const edge = (digits: number): number => (Math.max(0, digits) ** 2 * count) / (4 * unit ** 2);
  const around = (digits: number) => between(edge(2 * digits - 1), edge(2 * digits + 1), count * WORST ** 2);
  return off === 0 ? around(root) : [...around(root - off), ...around(root + off)];
}

/** The printed digits as a whole number, and how many of them make 1. */
function digitsOf(printed: string): [digits: number, unit: number] {
  const unit = 10 ** decimals(printed);
  return [Math.round(Number(printed) * unit), unit];
}

/** Whole numbers from `low` to below `high`, from 0 to `most`. */
function between(low: number, high: number, most: number): number[] {
  const from = Math.max(0, Math.ceil(low));
  return upTo(Math.min(most, Math.ceil(high) - 1) - from).map((step) => from + step);
}

const upTo = (most: number): number[] => Array.from({ length: Math.max(0, most + 1) }, (_, i) => i);

/** Values that one row prints of one task: right answers, or errors of ratings from 1 to 5. */
export type PrintedRow = { readonly accuracy: string } | { readonly mae: string; readonly rmse: string | undefined };

/** Beyond this, a share of three digits no longer tells the hits. */
const LARGEST_SIZE = 999;

/** Returns the sizes of a test set of which all these rows print as whole numbers; an RMSE may miss by one digit. */
export const fittingSizes = (rows: readonly PrintedRow[]): number[] =>
  upTo(LARGEST_SIZE).filter((size) => size > 0 && rows.every((row) => fits(row, size)));

const fits = (row: PrintedRow, size: number): boolean =>
  "accuracy" in row
    ? hitsPrintedAs(asShare(row.accuracy), size).length > 0
    : errorsPrintedAs(row.mae, row.rmse, size) !== undefined;

/** Tells whether a size up to `size` fits by chance with p > .05: the sum over n of (n / 10^d)^m, for m different values of d digits. */
export function fitsByChance(rows: readonly PrintedRow[], size: number): boolean {
  const values = new Set(rows.map((row) => asShare("accuracy" in row ? row.accuracy : row.mae)));
  const unit = 10 ** Math.max(...[...values].map(decimals));
  return (size * (size / unit) ** values.size) / (values.size + 1) > 0.05;
}

/** Sums implied by a printed MAE and RMSE of ratings from 1 to 5. */
export interface ImpliedErrors {
  readonly sum: number;
  /** Undefined where no RMSE is printed. */
  readonly squaredSum: number | undefined;
  /** Units of its last digit by which the printed RMSE misses these sums: 1 where the paper rounded otherwise. */
  readonly rmseOff: 0 | 1;
}

/** The largest error of a rating from 1 to 5. */
const WORST = 4;

/** Finds whole sums that errors of 1 to 4 can have and that print so; the RMSE may be one off in its last digit where none print as it. */
export function errorsPrintedAs(mae: string, rmse: string | undefined, count: number): ImpliedErrors | undefined {
  const sums = hitsPrintedAs(mae, count, WORST * count);
  const [sum] = sums;
  if (sum === undefined) return undefined;
  if (rmse === undefined) return { sum, squaredSum: undefined, rmseOff: 0 };
  for (const rmseOff of [0, 1] as const)
    for (const sum of sums)
      for (const squaredSum of squaresPrintedAs(rmse, count, rmseOff))
        if (areErrors(sum, squaredSum, count)) return { sum, squaredSum, rmseOff };
  return undefined;
}

/** Tells whether some n1..n4 of `count` ratings have n1 + 2 n2 + 3 n3 + 4 n4 = sum and n1 + 4 n2 + 9 n3 + 16 n4 = squared sum. */
function areErrors(sum: number, squaredSum: number, count: number): boolean {
  const excess = squaredSum - sum; // 2 n2 + 6 n3 + 12 n4
  return upTo(excess / 12).some((fours) =>
    upTo((excess - 12 * fours) / 6).some((threes) => {
      const twos = (excess - 12 * fours - 6 * threes) / 2;
      const ones = sum - 2 * twos - 3 * threes - 4 * fours;
      return Number.isInteger(twos) && ones >= 0 && ones + twos + threes + fours <= count;
    }),
  );
}

/** Returns the exact 95 % bounds of a share of independent answers. Source: Clopper and Pearson, Biometrika 26, 1934. */
export function exactBounds(hits: number, count: number): Interval {
  return {
    low: hits === 0 ? 0 : rootOf((x) => incompleteBeta(x, hits, count - hits + 1) < 0.025),
    high: hits === count ? 1 : rootOf((x) => incompleteBeta(x, hits + 1, count - hits) < 0.975),
  };
}

/** Halves 0 to 1 until no double lies between. */
function rootOf(isBelow: (x: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 52; step++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Exact two-sided McNemar test: p that `onlyA` and `onlyB` discordant pairs, or a more uneven split, come up when both are equally good.
 * Source: McNemar, Psychometrika 12(2), 1947; binomial form: Liddell, J. Epidemiol. Community Health 37, 1983.
 */
export function mcNemar(onlyA: number, onlyB: number): number {
  const [least, most] = [Math.min(onlyA, onlyB), Math.max(onlyA, onlyB)];
  return least === most ? 1 : Math.min(1, 2 * incompleteBeta(0.5, most, least + 1));
}

/** Returns the smallest and largest p of McNemar's test on two numbers of right answers, over all ways in which they can share questions. */
export function impliedPair(a: number, b: number, count: number) {
  const gap = Math.abs(a - b);
  const ps = upTo(Math.min(a, b))
    .filter((shared) => a + b - shared <= count)
    .map((shared) => mcNemar(a - shared, b - shared));
  return { gap, smallestP: Math.min(...ps), largestP: Math.max(...ps) };
}
