import { wordTokens } from "../text/tokens.js";
import { numpyArgsort } from "./numpy-argsort.js";

export interface TfIdfSettings {
  /** Words left out of documents and queries. Default: none. */
  readonly stopWords?: ReadonlySet<string>;
  /** Keep only so many terms, those with the highest count over the corpus. Default: all. */
  readonly maxFeatures?: number;
}

/** Cuts a text into scikit-learn's default tokens, stop words left out. */
export function termTokens(stopWords: ReadonlySet<string> | undefined): (text: string) => string[] {
  if (stopWords === undefined) return wordTokens;
  return (text) => wordTokens(text).filter((token) => !stopWords.has(token));
}

/** scikit-learn's smoothed idf of a term in `documentFrequency` of `size` documents. */
export function smoothIdf(size: number, documentFrequency: number): number {
  return Math.log((1 + size) / (1 + documentFrequency)) + 1;
}

/**
 * 1 for the `limit` terms with the highest `totals` (counts over the corpus), 0 for the others; `terms` maps a name to
 * its index in `totals`. Equal totals fall to the terms that numpy's argsort puts first, as in scikit-learn.
 */
export function commonestTerms(terms: ReadonlyMap<string, number>, totals: Float64Array, limit: number): Uint8Array {
  const kept = new Uint8Array(terms.size);
  if (limit >= kept.length) return kept.fill(1);
  const byAlphabet = [...terms].sort(byName).map(([, term]) => term);
  const commonestFirst = numpyArgsort(byAlphabet.map((term) => -totals[term]!));
  for (const index of commonestFirst.subarray(0, limit)) kept[byAlphabet[index]!] = 1;
  return kept;
}

/** Order of names by code unit: the order of scikit-learn's vocabulary. */
export const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1);
