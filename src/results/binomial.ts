import { betaQuantile } from "./beta.js";
import type { Interval } from "./inference.js";

/** Returns the exact 95 % bounds of a share of independent answers. Source: Clopper and Pearson, Biometrika 26, 1934. */
export function exactBounds(hits: number, count: number): Interval {
  if (!(count > 0 && hits >= 0 && hits <= count)) throw new RangeError(`no share: ${hits} of ${count}`);
  return {
    low: betaQuantile(0.025, hits, count - hits + 1),
    high: betaQuantile(0.975, hits + 1, count - hits),
  };
}

/**
 * Exact two-sided McNemar test on paired right/wrong answers: p that `onlyA` and `onlyB` discordant pairs, or a more
 * uneven split, come up when both arms are equally good. 1 where no pair is discordant.
 * Source: McNemar, Psychometrika 12(2), 1947; binomial form: Liddell, J. Epidemiol. Community Health 37, 1983.
 */
export function mcNemar(onlyA: number, onlyB: number): number {
  return Math.min(1, 2 * fairCoinAtMost(Math.min(onlyA, onlyB), onlyA + onlyB));
}

/**
 * P(heads <= most) in `flips` throws of a fair coin, summed from the largest term down. Needs most <= flips / 2.
 * Halves as it multiplies, so that neither the number of ways nor 2^-flips leaves the range of a double before it must.
 */
function fairCoinAtMost(most: number, flips: number): number {
  let largest = 1;
  let halvings = flips;
  for (let i = 1; i <= most; i++) {
    largest *= (flips - most + i) / i;
    for (; largest > 1; halvings--) largest /= 2;
  }
  let term = 1;
  let sum = 1;
  for (let heads = most; term > sum * Number.EPSILON; heads--) {
    term *= heads / (flips - heads + 1);
    sum += term;
  }
  return sum * largest * 2 ** -halvings;
}
