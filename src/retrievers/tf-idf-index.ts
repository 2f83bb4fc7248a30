import { invert } from "./sparse-index.js";
import { countTerms, type TermCounts } from "./term-counts.js";
import { byName, commonestTerms, smoothIdf, type TfIdfSettings, termTokens } from "./tf-idf-terms.js";

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
  const tokenize = termTokens(settings.stopWords);
  const counts = countTerms(documents.map(tokenize));
  const kept = commonestTerms(counts.terms, totals(counts), settings.maxFeatures ?? counts.terms.size);
  const idf = Float64Array.from(counts.documentFrequency, (df, term) =>
    kept[term] === 1 ? smoothIdf(counts.size, df) : 0,
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

/** Weight of each entry: count times idf, each document scaled to length 1 (all zeros stay zeros). */
function normalizedWeights(counts: TermCounts, idf: Float64Array): Float64Array {
  const weights = Float64Array.from(counts.entryCount, (count, entry) => count * idf[counts.entryTerm[entry]!]!);
  for (let document = 0; document < counts.size; document++) {
    const documentWeights = weights.subarray(counts.starts[document], counts.starts[document + 1]);
    const norm = Math.sqrt(documentWeights.reduce((sum, weight) => sum + weight * weight, 0));
    if (norm > 0) for (let entry = 0; entry < documentWeights.length; entry++) documentWeights[entry]! /= norm;
  }
  return weights;
}

/** How often each term stands in the corpus. */
function totals(counts: TermCounts): Float64Array {
  const sums = new Float64Array(counts.terms.size);
  for (let entry = 0; entry < counts.entryTerm.length; entry++)
    sums[counts.entryTerm[entry]!]! += counts.entryCount[entry]!;
  return sums;
}
