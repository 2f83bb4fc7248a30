import { fairCoinAtMost } from "./mcnemar.js";

/**
 * Exact one-sided sign test on paired questions: p that `better` or fewer of the changed ones got better when gains and
 * losses are equally likely. 1 where none changed. For right and wrong answers: the one-sided McNemar test.
 * Source: Dixon and Mood, JASA 41, 1946.
 */
export function signTestBelow(better: number, worse: number): number {
  const changed = better + worse;
  if (worse === 0) return 1;
  if (better <= changed / 2) return Math.min(1, fairCoinAtMost(better, changed));
  return 1 - fairCoinAtMost(worse - 1, changed);
}
