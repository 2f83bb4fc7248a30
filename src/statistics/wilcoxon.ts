import { normalUpperTail } from "./normal.js";

interface SignedRank {
  /** Two-sided. 1 where all differences are zero. */
  readonly p: number;
  readonly method: "exact" | "normal";
  /** Matched-pairs rank-biserial correlation in -1..1, positive when the differences are: the effect size of this test. */
  readonly effect: number;
}

/** Up to so many differences, all distinct and none zero, the distribution is counted out, as scipy does. */
const MAX_EXACT_DIFFERENCES = 50;

/**
 * Wilcoxon signed-rank test on paired differences. Zeros are left out; with zeros, ties or more than 50 differences p
 * comes from the normal approximation with the tie correction and no continuity correction (scipy.stats.wilcoxon's default).
 * Source: Wilcoxon, Biometrics Bulletin 1(6), 1945; effect: Kerby, Comprehensive Psychology 3, 2014.
 */
export function signedRank(differences: readonly number[]): SignedRank {
  const values = differences.map(withoutNoise).filter((difference) => difference !== 0);
  const count = values.length;
  if (count === 0) return { p: 1, method: "exact", effect: 0 };
  const { positive, tieTerm } = rankSums(values);
  const total = (count * (count + 1)) / 2;
  const lower = Math.min(positive, total - positive);
  const countable = tieTerm === 0 && count === differences.length && count <= MAX_EXACT_DIFFERENCES;
  return {
    p: countable ? exactP(lower, count) : normalP(lower, count, tieTerm),
    method: countable ? "exact" : "normal",
    effect: (2 * positive - total) / total,
  };
}

const NOISE_DIGITS = 12;

/** Scores are sums of fractions: .3 - .2 and .2 - .1 differ in the last bits, and are one difference. */
const withoutNoise = (difference: number): number => Number(difference.toFixed(NOISE_DIGITS));

/** Sum of the ranks of positive differences, tied ones sharing their mean rank, and the sum of t^3 - t over ties of t. */
function rankSums(values: readonly number[]): { positive: number; tieTerm: number } {
  const sorted = [...values].sort((a, b) => Math.abs(a) - Math.abs(b));
  let positive = 0;
  let tieTerm = 0;
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (to < sorted.length && Math.abs(sorted[to]!) === Math.abs(sorted[from]!)) to += 1;
    const rank = (from + 1 + to) / 2;
    for (let at = from; at < to; at++) if (sorted[at]! > 0) positive += rank;
    tieTerm += (to - from) ** 3 - (to - from);
    from = to;
  }
  return { positive, tieTerm };
}

/** Counts the sign patterns (of 2^count, exact in a double) whose positive ranks sum to at most `lower`. */
function exactP(lower: number, count: number): number {
  const patterns = new Float64Array(lower + 1);
  patterns[0] = 1;
  for (let rank = 1; rank <= count; rank++)
    for (let sum = lower; sum >= rank; sum--) patterns[sum]! += patterns[sum - rank]!;
  const atMost = patterns.reduce((total, ways) => total + ways, 0);
  return Math.min(1, (2 * atMost) / 2 ** count);
}

function normalP(lower: number, count: number, tieTerm: number): number {
  const mean = (count * (count + 1)) / 4;
  const variance = (count * (count + 1) * (2 * count + 1)) / 24 - tieTerm / 48;
  return Math.min(1, 2 * normalUpperTail((mean - lower) / Math.sqrt(variance)));
}
