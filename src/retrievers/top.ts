import type { Hit } from "../types.js";
import { numpyTop } from "./numpy-argsort.js";

/**
 * The best `k` documents by score, best first; equal scores in the order in which LaMP's own ranking leaves them
 * (up to 16 documents: the later, newer one first). All scored retrievers rank by this one rule.
 */
export function top(scores: Float64Array, k: number): Hit[] {
  return Array.from(numpyTop(scores, k), (index) => ({ index, score: scores[index]! }));
}
