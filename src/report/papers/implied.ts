import { mcNemar } from "../../results/binomial.js";
import { isSignificant } from "../../results/inference.js";

// Arithmetic on printed digits. Printed values are taken as rounded half up: 35 of 112 prints as .313. Whole numbers decide, no binary fraction.

/** Writes `55.0%` as `0.550`: as many digits. */
export const asShare = (printed: string): string =>
  printed.endsWith("%") ? (Number.parseFloat(printed) / 100).toFixed(decimals(printed.slice(0, -1)) + 2) : printed;

export const decimals = (printed: string): number => printed.split(".")[1]?.length ?? 0;

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

/** What one row prints of one task: right answers, or errors of ratings from 1 to 5. */
export type PrintedRow = { readonly accuracy: string } | { readonly mae: string; readonly rmse: string | undefined };

/** Beyond this, a share of three digits no longer tells the hits. */
export const LARGEST_SIZE = 999;

/** Returns the sizes of a test set, from 1 to `most`, of which all these rows print as whole numbers; an RMSE may miss by one digit. */
export const fittingSizes = (rows: readonly PrintedRow[], most = LARGEST_SIZE): number[] =>
  upTo(most).filter((size) => size > 0 && rows.every((row) => fits(row, size)));

const fits = (row: PrintedRow, size: number): boolean =>
  "accuracy" in row
    ? hitsPrintedAs(asShare(row.accuracy), size).length > 0
    : errorsPrintedAs(row.mae, row.rmse, size) !== undefined;

/** Whether a size that fits is one by chance, in more than one of 20 papers: m different values of d digits fit n with (n / 10^d)^m. */
export function fitsByChance(rows: readonly PrintedRow[], size: number): boolean {
  const values = new Set(rows.map((row) => asShare("accuracy" in row ? row.accuracy : row.mae)));
  const unit = 10 ** Math.max(...[...values].map(decimals));
  return (size * (size / unit) ** values.size) / (values.size + 1) > 0.05;
}

/**
 * Returns the fewest wrong replies that were no label at all, on a task of two labels: with labels alone macro-F1 is at most the
 * accuracy (x / (x + errors) is concave in x). Goes through every split of hits and of replies outside between the labels.
 */
export function fewestOutsideLabels(printedF1: string, hits: number, count: number): number | undefined {
  const wrong = count - hits;
  const f1 = (right: number, errors: number) => (right === 0 ? 0 : (2 * right) / (2 * right + errors));
  const printsSo = (outside: number, ofFirst: number, hitsFirst: number): boolean => {
    const mean = (f1(hitsFirst, wrong - outside + ofFirst) + f1(hits - hitsFirst, wrong - ofFirst)) / 2;
    return Number(mean.toFixed(decimals(printedF1))) >= Number(printedF1);
  };
  return upTo(wrong).find((outside) =>
    upTo(outside).some((of) => upTo(hits).some((first) => printsSo(outside, of, first))),
  );
}

/** What a printed MAE and RMSE say of `count` ratings from 1 to 5. */
export interface ImpliedErrors {
  readonly sum: number;
  /** Undefined where no RMSE is printed. */
  readonly squaredSum: number | undefined;
  /** Fewest and most ratings that can be exactly right. */
  readonly exact: { readonly least: number; readonly most: number };
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
  if (rmse === undefined) {
    const exact = { least: Math.max(0, count - sum), most: count - Math.ceil(sum / WORST) };
    return { sum, squaredSum: undefined, exact, rmseOff: 0 };
  }
  for (const rmseOff of [0, 1] as const)
    for (const sum of sums)
      for (const squaredSum of squaresPrintedAs(rmse, count, rmseOff)) {
        const wrong = wrongCounts(sum, squaredSum, count);
        const exact = { least: count - Math.max(...wrong), most: count - Math.min(...wrong) };
        if (wrong.length > 0) return { sum, squaredSum, exact, rmseOff };
      }
  return undefined;
}

/** Numbers of ratings that are off, of every n1..n4 with n1 + 2 n2 + 3 n3 + 4 n4 = sum and n1 + 4 n2 + 9 n3 + 16 n4 = squared sum. */
function wrongCounts(sum: number, squaredSum: number, count: number): number[] {
  const found: number[] = [];
  const excess = squaredSum - sum; // 2 n2 + 6 n3 + 12 n4
  for (let fours = 0; 12 * fours <= excess; fours++)
    for (let threes = 0; 12 * fours + 6 * threes <= excess; threes++) {
      const twos = (excess - 12 * fours - 6 * threes) / 2;
      const ones = sum - 2 * twos - 3 * threes - 4 * fours;
      const wrong = ones + twos + threes + fours;
      if (Number.isInteger(twos) && ones >= 0 && wrong <= count) found.push(wrong);
    }
  return found;
}

/** What two numbers of right answers on the same questions allow McNemar's test to say, whatever questions they were. */
export interface ImpliedPair {
  readonly gap: number;
  /** Fewest and most questions on which the two can disagree. */
  readonly discordant: { readonly least: number; readonly most: number };
  readonly smallestP: number;
  readonly largestP: number;
  /** Under no pairing of the questions, some (those with at most `upTo` discordant ones), or all. */
  readonly significant: "never" | "depends" | "always";
  readonly upTo: number | undefined;
}

/** Goes through every number of questions on which both can be right: discordant ones run from |a - b| in steps of two. */
export function impliedPair(a: number, b: number, count: number): ImpliedPair {
  const gap = Math.abs(a - b);
  const discordant = { least: gap, most: Math.min(a + b, 2 * count - a - b) };
  const totals = upTo((discordant.most - gap) / 2).map((step) => gap + 2 * step);
  const ps = totals.map((total) => mcNemar((total + gap) / 2, (total - gap) / 2));
  const [smallestP, largestP] = [Math.min(...ps), Math.max(...ps)];
  const significant = !isSignificant(smallestP) ? "never" : isSignificant(largestP) ? "always" : "depends";
  const last = totals.findLast((_, at) => isSignificant(ps[at]));
  return { gap, discordant, smallestP, largestP, significant, upTo: significant === "depends" ? last : undefined };
}

/** A printed value as a number; undefined for the dash. */
export const printedNumber = (printed: string): number | undefined =>
  printed === "-" ? undefined : Number(asShare(printed));
