import { type GlobalIndex, globalIndex, searchable } from "../../retrievers/global-index.js";
import type { Event } from "../../types.js";
import type { Interaction } from "./knowledge-graph.js";
import type { OpenSimilarity } from "./similarity.js";

/**
 * Vocabulary and idf are learned from the pool and stay fixed: a user's own events are weighed by them (scikit-learn's
 * `transform`), so that nothing of one user changes what another sees. An empty pool (own events alone) lets each user's
 * events be their own corpus.
 */
export const tfIdfSimilarity: OpenSimilarity = async (pool, { tfIdf }) => {
  const index = globalIndex(pool.map(documentOf), tfIdf);
  return {
    global: async (query, k, above, { owner, contents, hidden }) =>
      index.top(query, k, { above, owner, contents, skip: hidden }),
    own: async (events) => {
      const documents = events.map((event) => documentOf({ owner: "", event }));
      const own = pool.length === 0 ? globalIndex(documents, tfIdf) : withoutDocuments(index).extend(documents);
      return async (query, k, above) => own.top(query, k, { above });
    },
  };
};

// --- internal ---

const documentOf = ({ owner, event }: { owner: Interaction["owner"]; event: Event }) => ({
  owner,
  text: event.document,
  content: event.content,
});

/** What the index has learned, with no document in it. */
function withoutDocuments({ parts }: GlobalIndex): GlobalIndex {
  return searchable({
    ...parts,
    offsets: new Uint32Array(parts.offsets.length),
    documents: new Uint32Array(0),
    counts: new Uint16Array(0),
    inverseNorms: new Float64Array(0),
    owners: new Uint32Array(0),
    ownerNames: [],
    contentKeys: new Uint32Array(0),
  });
}
