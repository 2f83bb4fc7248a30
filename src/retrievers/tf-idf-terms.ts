import { wordTokens } from "../text/tokens.js";
import { numpyArgsort } from "./numpy-argsort.js";
import type { TermTable } from "./term-table.js";

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

/** The idf of a term by its number; 0: the term is left out. */
export type IdfOf = (term: number) => number;

/** The idf that a corpus gives its own terms, those that `maxFeatures` keeps. Valid until a document is added. */
export function learnedIdf(table: TermTable, { maxFeatures }: TfIdfSettings): IdfOf {
  const { size, terms } = table;
  const byFrequency = new Float64Array(size + 1); // no idf is 0
  const isKept = maxFeatures === undefined ? undefined : commonestTerms(terms, totals(table), maxFeatures);
  return (term) => {
    if (isKept?.[term] === 0) return 0;
    const frequency = table.frequency(term);
    if (byFrequency[frequency] === 0) byFrequency[frequency] = smoothIdf(size, frequency);
    return byFrequency[frequency]!;
  };
}

/**
 * 1 for the `limit` terms with the highest `totals` (counts over the corpus), 0 for the others; `terms` maps a name to
 * its index in `totals`. Equal totals fall to the terms that numpy's argsort puts first, as in scikit-learn.
 */
function commonestTerms(terms: ReadonlyMap<string, number>, totals: Float64Array, limit: number): Uint8Array {
  const kept = new Uint8Array(terms.size);
  if (limit >= kept.length) return kept.fill(1);
  const byAlphabet = [...terms].sort(byName).map(([, term]) => term);
  const commonestFirst = numpyArgsort(byAlphabet.map((term) => -totals[term]!));
  for (const index of commonestFirst.subarray(0, limit)) kept[byAlphabet[index]!] = 1;
  return kept;
}

/** Order of names by code unit: the order of scikit-learn's vocabulary. */
const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1);

/** How often each term stands in the corpus. */
function totals(table: TermTable): Float64Array {
  const sums = new Float64Array(table.terms.size);
  for (let document = 0; document < table.size; document++)
    table.visit(document, (term, count) => {
      sums[term]! += count;
    });
  return sums;
}
