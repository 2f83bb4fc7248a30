import type { GlobalDocument } from "../../../src/retrievers/global-index.js";
import type { Hit } from "../../../src/types.js";

/**
 * The best `k` of other users' documents per query, by TF-IDF cosine written the way its formula reads: every document
 * against every query, words in maps. `documents` gives a fresh pass over the same documents each time.
 */
export function bruteForce(
  documents: () => Iterable<GlobalDocument>,
  queries: readonly { readonly owner: string; readonly text: string }[],
  k: number,
): Hit[][] {
  const documentFrequency = new Map<string, number>();
  let size = 0;
  for (const { text } of documents()) {
    size++;
    for (const word of new Set(text.split(" "))) documentFrequency.set(word, (documentFrequency.get(word) ?? 0) + 1);
  }
  const vector = (text: string): Map<string, number> => {
    const weights = new Map<string, number>();
    for (const word of text.split(" ")) weights.set(word, (weights.get(word) ?? 0) + 1);
    for (const [word, count] of weights) {
      const df = documentFrequency.get(word);
      weights.set(word, df === undefined ? 0 : count * (Math.log((1 + size) / (1 + df)) + 1));
    }
    return weights;
  };

  const asked = queries.map(({ owner, text }) => ({ owner, weights: vector(text), best: [] as Hit[] }));
  let index = 0;
  for (const { owner, text } of documents()) {
    const weights = vector(text);
    const length = norm(weights);
    for (const query of asked) {
      const score = dot(query.weights, weights) / (norm(query.weights) * length);
      if (owner === query.owner || (query.best.length === k && score <= query.best[k - 1]!.score)) continue;
      query.best = [...query.best, { index, score }].sort((a, b) => b.score - a.score).slice(0, k);
    }
    index++;
  }
  return asked.map(({ best }) => best);
}

function norm(weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const weight of weights.values()) sum += weight * weight;
  return Math.sqrt(sum);
}

function dot(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [word, weight] of a) sum += weight * (b.get(word) ?? 0);
  return sum;
}
