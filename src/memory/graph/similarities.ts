import { globalIndex, growingIndex, growingIndexBy } from "../../retrievers/global-index.js";
import type { TfIdfSettings } from "../../retrievers/tf-idf-terms.js";
import { partsId } from "../../text/parts-id.js";
import type { Event } from "../../types.js";
import type { Interaction } from "./knowledge-graph.js";
import type { OpenSimilarity, OwnSearch } from "./similarity.js";
import { denseSimilarity } from "./similarity-dense.js";

/**
 * Vocabulary and idf are learned from the pool and stay fixed: a user's own events are weighed by them, so that nothing of
 * one user changes what another sees. Words that only this user has are as rare as a word can be there (df = 0); a limited
 * vocabulary (`maxFeatures`) drops them, as scikit-learn's `transform` does. An empty pool (own events alone) lets each
 * user's events be their own corpus.
 */
const tfIdfSimilarity: OpenSimilarity = async (pool, { tfIdf, shared }) => {
  const index = await shared("graph.index", async () => globalIndex(pool.map(documentOf), tfIdf), {
    content: partsId(indexed(pool, tfIdf)),
  });
  return {
    global: async (query, k, above, { owner, contents, hidden }) =>
      index.top(query, k, { above, owner, contents, skip: hidden }),
    own: async (events) => {
      const ownIndex = pool.length === 0 ? growingIndex(tfIdf) : growingIndexBy(index);
      for (const { document } of events) ownIndex.add(document);
      const search: OwnSearch = async (query, k, above) => ownIndex.top(query, k, above);
      search.add = async ({ document }) => ownIndex.add(document);
      return search;
    },
  };
};

/** All that the index is made of. */
function* indexed(
  pool: readonly Interaction[],
  { stopWords = new Set(), maxFeatures }: TfIdfSettings,
): Iterable<string> {
  yield `tf-idf ${maxFeatures ?? "all"} ${[...stopWords].join(" ")}`;
  for (const { owner, event } of pool) yield* [owner, event.document, event.content];
}

const documentOf = ({ owner, event }: { owner: Interaction["owner"]; event: Event }) => ({
  owner,
  text: event.document,
  content: event.content,
});

/** By the value of `graph-rag.weighting`. */
export const similarities = {
  tfidf: tfIdfSimilarity,
  dense: denseSimilarity,
} as const satisfies Readonly<Record<string, OpenSimilarity>>;
