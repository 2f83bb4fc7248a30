import { wordTokens } from "../text/tokens.js";
import { numpyArgsort } from "./numpy-argsort.js";
import { invert } from "./sparse-index.js";
import { countTerms, type TermCounts } from "./term-counts.js";

export interface TfIdfSettings {
  /** Words left out of documents and queries. Default: none. */
  readonly stopWords?: ReadonlySet<string>;
  /** Keep only so many terms, those with the highest count over the corpus. Default: all. */
  readonly maxFeatures?: number;
}

export interface TfIdfIndex {
  /** Cosine of the query with every document, 0..1; 0 where either holds no known term. */
  similarities(query: string): Float64Array;
  /** The kept terms, in code-unit order, with their idf. */
  readonly idf: ReadonlyMap<string, number>;
}

/**
 * The cosine similarities of scikit-learn's `TfidfVectorizer(stop_words=..., max_features=...)` fitted on `documents`:
 * raw counts times ln((1 + N) / (1 + df)) + 1, L2-normalized. An empty vocabulary, on which scikit-learn raises,
 * gives similarities of 0.
 */
export function tfIdfIndex(documents: readonly string[], settings: TfIdfSettings = {}): TfIdfIndex {
  const tokenize = (text: string): string[] => {
    const { stopWords } = settings;
    const tokens = wordTokens(text);
    return stopWords === undefined ? tokens : tokens.filter((token) => !stopWords.has(token));
  };
  const counts = countTerms(documents.map(tokenize));
  const kept = keptTerms(counts, settings.maxFeatures ?? counts.terms.size);
  const idf = Float64Array.from(counts.documentFrequency, (df, term) =>
    kept[term] === 1 ? Math.log((1 + counts.size) / (1 + df)) + 1 : 0,
  );
  const index = invert(counts, normalizedWeights(counts, idf));

  return {
    idf: new Map(
      [...counts.terms]
        .filter(([, term]) => kept[term] === 1)
        .sort(byName)
        .map(([name, term]) => [name, idf[term]!]),
    ),
    similarities(query) {
      const weights = new Map<number, number>();
      for (const token of tokenize(query)) {
        const term = index.term(token);
        if (term !== undefined) weights.set(term, (weights.get(term) ?? 0) + idf[term]!);
      }
      const scores = new Float64Array(index.size);
      const norm = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
      if (norm > 0) for (const [term, weight] of weights) index.add(term, scores, weight / norm);
      return scores;
    },
  };
}

// --- internal ---

const byName = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : 1);

/** Weight of each entry: count times idf, each document scaled to length 1 (all zeros stay zeros). */
function normalizedWeights(counts: TermCounts, idf: Float64Array): Float64Array {
  const weights = Float64Array.from(counts.entryCount, (count, entry) => count * idf[counts.entryTerm[entry]!]!);
  for (let document = 0; document < counts.size; document++) {
    const own = weights.subarray(counts.starts[document], counts.starts[document + 1]);
    const norm = Math.sqrt(own.reduce((sum, weight) => sum + weight * weight, 0));
    if (norm > 0) for (let entry = 0; entry < own.length; entry++) own[entry]! /= norm;
  }
  return weights;
}

/** 1 for the terms that stay. Equal counts fall to the terms that numpy's argsort puts first, as in scikit-learn. */
function keptTerms(counts: TermCounts, limit: number): Uint8Array {
  const kept = new Uint8Array(counts.terms.size);
  if (limit >= kept.length) return kept.fill(1);
  const totals = new Float64Array(kept.length);
  for (let entry = 0; entry < counts.entryTerm.length; entry++)
    totals[counts.entryTerm[entry]!]! += counts.entryCount[entry]!;
  const byAlphabet = [...counts.terms].sort(byName).map(([, term]) => term);
  const commonestFirst = numpyArgsort(byAlphabet.map((term) => -totals[term]!));
  for (const place of commonestFirst.subarray(0, limit)) kept[byAlphabet[place]!] = 1;
  return kept;
}
