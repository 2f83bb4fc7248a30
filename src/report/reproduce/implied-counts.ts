/** Whole numbers of right answers among `count` that print as this share. Empty where the share is none of `count`. */
export function hitsPrintedAs(printed: string, count: number): number[] {
  return wholeNumbers(count).filter((hits) => (hits / count).toFixed(decimals(printed)) === printed);
}

/**
 * Fewest of the wrong replies that were no label at all, on a task of two labels. With labels alone, macro-F1 is at most the
 * accuracy (x / (x + errors) is concave in x, and both labels have the same errors): a higher one needs replies outside.
 * Goes through every split of hits and of replies outside between the labels. Undefined where no split has so high an F1.
 */
export function fewestOutsideLabels(printedF1: string, hits: number, count: number): number | undefined {
  const wrong = count - hits;
  return wholeNumbers(wrong).find((outside) =>
    wholeNumbers(outside).some((outsideFirst) =>
      wholeNumbers(hits).some((hitsFirst) => {
        const first = labelF1(hitsFirst, wrong - outside + outsideFirst);
        const second = labelF1(hits - hitsFirst, wrong - outsideFirst);
        return Number(((first + second) / 2).toFixed(decimals(printedF1))) >= Number(printedF1);
      }),
    ),
  );
}

/** What a printed MAE and RMSE say of `count` ratings from 1 to 5. */
export interface ImpliedErrors {
  readonly sum: number;
  /** Undefined where no RMSE is printed. */
  readonly squaredSum: number | undefined;
  /** Fewest and most ratings that can be exactly right. */
  readonly exact: { readonly least: number; readonly most: number };
  /** Units of its last digit by which the printed RMSE misses these sums: 0, or 1 where the paper rounded otherwise. */
  readonly rmseOff: 0 | 1;
}

/**
 * Whole error sums behind a printed MAE and RMSE, that some errors of 1 to 4 can have; the RMSE may be one off in its last
 * digit where no sums print as it. Undefined where there are none.
 * Without an RMSE only the sum is looked for, and the bounds are wide.
 */
export function errorsPrintedAs(mae: string, rmse: string | undefined, count: number): ImpliedErrors | undefined {
  if (rmse === undefined) return sumPrintedAs(mae, count);
  for (const rmseOff of [0, 1] as const)
    for (const sum of wholeNumbers(count * WORST)) {
      if (digitsOff(sum / count, mae) !== 0) continue;
      for (const squaredSum of wholeNumbers(count * WORST ** 2)) {
        if (digitsOff(Math.sqrt(squaredSum / count), rmse) !== rmseOff) continue;
        const wrong = wrongRatings(sum, squaredSum, count);
        if (wrong.length === 0) continue;
        const exact = { least: count - Math.max(...wrong), most: count - Math.min(...wrong) };
        return { sum, squaredSum, exact, rmseOff };
      }
    }
  return undefined;
}

/** The largest sum of fourth powers that errors of 1 to 4 with these sums can have. */
export const largestFourthPowers = (sum: number, squaredSum: number, count: number): number =>
  Math.max(
    0,
    ...errorCounts(sum, squaredSum, count).map(
      ([ones, twos, threes, fours]) => ones + 16 * twos + 81 * threes + 256 * fours,
    ),
  );

function sumPrintedAs(mae: string, count: number): ImpliedErrors | undefined {
  const sum = wholeNumbers(count * WORST).find((total) => digitsOff(total / count, mae) === 0);
  if (sum === undefined) return undefined;
  const exact = { least: Math.max(0, count - sum), most: count - Math.ceil(sum / WORST) };
  return { sum, squaredSum: undefined, exact, rmseOff: 0 };
}

/** Largest error of a rating from 1 to 5. */
const WORST = 4;

const wholeNumbers = (most: number): number[] => Array.from({ length: most + 1 }, (_, i) => i);
const decimals = (printed: string): number => printed.length - printed.indexOf(".") - 1;

/** Distance of a value, rounded as printed, from the printed one, in units of the last digit. */
function digitsOff(value: number, printed: string): number {
  const digits = decimals(printed);
  const away = Math.abs(value - Number(printed)) * 10 ** digits;
  // Far off, how a half rounds does not matter, and rounding as printed takes long.
  if (away > 3) return Math.round(away);
  return Math.abs(Math.round((Number(value.toFixed(digits)) - Number(printed)) * 10 ** digits));
}

/** `errors`: wrong replies that should have been this label, or were it. */
const labelF1 = (hits: number, errors: number): number => (hits === 0 ? 0 : (2 * hits) / (2 * hits + errors));

const wrongRatings = (sum: number, squaredSum: number, count: number): number[] =>
  errorCounts(sum, squaredSum, count).map((counts) => counts.reduce((total, one) => total + one, 0));

/** Every n1..n4 with n1 + 2 n2 + 3 n3 + 4 n4 = sum, n1 + 4 n2 + 9 n3 + 16 n4 = squared sum, and no more than `count` in all. */
function errorCounts(sum: number, squaredSum: number, count: number): [number, number, number, number][] {
  const found: [number, number, number, number][] = [];
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
