import { mcNemar } from "../../results/binomial.js";
import { isSignificant } from "../../results/inference.js";

/** Returns the whole numbers of right answers among `count` that print as this share. */
export const hitsPrintedAs = (printed: string, count: number): number[] =>
  upTo(count).filter((hits) => (hits / count).toFixed(decimals(printed)) === printed);

/** Writes `55.0%` as `0.550`: as many digits. */
export const asShare = (printed: string): string =>
  printed.endsWith("%") ? (Number.parseFloat(printed) / 100).toFixed(decimals(printed.slice(0, -1)) + 2) : printed;

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

/**
 * Finds whole error sums that print so, that some errors of 1 to 4 can have; the RMSE may be one off in its last digit where no sums
 * print as it. Without an RMSE only the sum is looked for, and the bounds are wide.
 */
export function errorsPrintedAs(mae: string, rmse: string | undefined, count: number): ImpliedErrors | undefined {
  const sums = upTo(count * WORST).filter((sum) => digitsOff(sum / count, mae) === 0);
  const [sum] = sums;
  if (rmse === undefined) {
    if (sum === undefined) return undefined;
    const exact = { least: Math.max(0, count - sum), most: count - Math.ceil(sum / WORST) };
    return { sum, squaredSum: undefined, exact, rmseOff: 0 };
  }
  for (const rmseOff of [0, 1] as const)
    for (const sum of sums)
      for (const squaredSum of upTo(count * WORST ** 2)) {
        if (digitsOff(Math.sqrt(squaredSum / count), rmse) !== rmseOff) continue;
        const wrong = errorCounts(sum, squaredSum, count).map((counts) =>
          counts.reduce((total, one) => total + one, 0),
        );
        if (wrong.length === 0) continue;
        return {
          sum,
          squaredSum,
          exact: { least: count - Math.max(...wrong), most: count - Math.min(...wrong) },
          rmseOff,
        };
      }
  return undefined;
}

/** The largest error of a rating from 1 to 5. */
const WORST = 4;
const upTo = (most: number): number[] => Array.from({ length: most + 1 }, (_, i) => i);
const decimals = (printed: string): number => printed.split(".")[1]?.length ?? 0;

/** Distance of a value, rounded as printed, from the printed one, in units of the last digit. */
function digitsOff(value: number, printed: string): number {
  const digits = decimals(printed);
  const away = Math.abs(value - Number(printed)) * 10 ** digits;
  if (away > 3) return Math.round(away); // rounding as printed takes long
  return Math.abs(Math.round((Number(value.toFixed(digits)) - Number(printed)) * 10 ** digits));
}

/** Every n1..n4 with n1 + 2 n2 + 3 n3 + 4 n4 = sum, n1 + 4 n2 + 9 n3 + 16 n4 = squared sum, and no more than `count` in all. */
function errorCounts(sum: number, squaredSum: number, count: number): number[][] {
  const found: number[][] = [];
  const excess = squaredSum - sum; // 2 n2 + 6 n3 + 12 n4
  for (let fours = 0; 12 * fours <= excess; fours++)
    for (let threes = 0; 12 * fours + 6 * threes <= excess; threes++) {
      const twos = (excess - 12 * fours - 6 * threes) / 2;
      const ones = sum - 2 * twos - 3 * threes - 4 * fours;
      if (Number.isInteger(twos) && ones >= 0 && ones + twos + threes + fours <= count)
        found.push([ones, twos, threes, fours]);
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
