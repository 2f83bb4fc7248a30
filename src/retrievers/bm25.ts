import { UsageError } from "../errors.js";
import type { Retriever, Search } from "../types/index.js";
import { bm25Okapi } from "./bm25-schemes.js";
import { numpyTop, top } from "./numpy-argsort.js";
import { sparseIndex } from "./sparse-index.js";

/** LaMP's default retriever, bit for bit: scores of rank_bm25, ties in numpy's order, the benchmark's own tokens. */
export const bm25: Retriever = {
  name: "bm25",
  summary: "BM25 exactly as the benchmark ranks: rank_bm25 scores, numpy tie order, case-sensitive whitespace tokens",
  source: "LaMP rank_profiles.py; rank_bm25 0.2.2 BM25Okapi; numpy 1.24 argsort",
  async index(documents, { tokenize }) {
    const index = sparseIndex(
      documents.map(({ text }) => tokenize(text)),
      bm25Okapi,
    );
    const search: Search = async (query, k) => top(index.scores(tokenize(query)), k);
    search.add = async ({ text }) => index.add(tokenize(text));
    return search;
  },
};

/**
 * The ranking of a whole corpus as rank_bm25 gives it: scores by document, document numbers best first.
 * Throws UsageError where rank_bm25 divides by zero: no documents, or none with a token.
 */
export function rankBm25(
  documents: readonly (readonly string[])[],
  query: readonly string[],
): { readonly scores: Float64Array; readonly order: Int32Array } {
  if (documents.every((tokens) => tokens.length === 0))
    throw new UsageError(
      "bm25: none of the documents has a token, on which rank_bm25 divides by zero; give it some text",
    );
  const scores = sparseIndex(documents, bm25Okapi).scores(query);
  return { scores, order: numpyTop(scores, scores.length) };
}
