import { type GlobalIndex, globalIndex, searchable } from "../../retrievers/global-index.js";
import { decodeIndex, encodeIndex, INDEX_VERSION } from "../../retrievers/global-index-codec.js";
import type { Terms } from "../../retrievers/global-index-parts.js";
import { smoothIdf, type TfIdfSettings, termTokens } from "../../retrievers/tf-idf-terms.js";
import { partsId } from "../../text/parts-id.js";
import type { Event } from "../../types.js";
import type { Interaction } from "./knowledge-graph.js";
import type { OpenSimilarity } from "./similarity.js";

/**
 * Vocabulary and idf are learned from the pool and stay fixed: a user's own events are weighed by them, so that nothing of
 * one user changes what another sees. Words that only this user has are as rare as a word can be there (df = 0); a limited
 * vocabulary (`maxFeatures`) drops them, as scikit-learn's `transform` does. An empty pool (own events alone) lets each
 * user's events be their own corpus.
 */
export const tfIdfSimilarity: OpenSimilarity = async (pool, { tfIdf, shared }) => {
  const index = await shared("graph.index", async () => globalIndex(pool.map(documentOf), tfIdf), {
    content: partsId(indexed(pool, tfIdf)),
    encode: encodeIndex,
    decode: decodeIndex,
  });
  return {
    global: async (query, k, above, { owner, contents, hidden }) =>
      index.top(query, k, { above, owner, contents, skip: hidden }),
    own: async (events) => {
      const documents = events.map((event) => documentOf({ owner: "", event }));
      const ownIndex = pool.length === 0 ? globalIndex(documents, tfIdf) : emptied(index, documents).extend(documents);
      return async (query, k, above) => ownIndex.top(query, k, { above });
    },
  };
};

// --- internal ---

/** All that the index is made of. */
function* indexed(
  pool: readonly Interaction[],
  { stopWords = new Set(), maxFeatures }: TfIdfSettings,
): Iterable<string> {
  yield `tf-idf ${INDEX_VERSION} ${maxFeatures ?? "all"} ${[...stopWords].join(" ")}`;
  for (const { owner, event } of pool) yield* [owner, event.document, event.content];
}

const documentOf = ({ owner, event }: { owner: Interaction["owner"]; event: Event }) => ({
  owner,
  text: event.document,
  content: event.content,
});

/** What the index has learned, with no document in it, and with the words of `documents` that it has not met. */
function emptied({ parts, size }: GlobalIndex, documents: readonly { readonly text: string }[]): GlobalIndex {
  const terms = parts.settings.maxFeatures === undefined ? withUnmet(parts, documents) : parts.terms;
  const idf = new Float64Array(terms.size).fill(smoothIdf(size, 0));
  idf.set(parts.idf);
  return searchable({
    settings: parts.settings,
    terms,
    idf,
    offsets: new Uint32Array(terms.size + 1),
    documents: new Uint32Array(0),
    counts: new Uint16Array(0),
    inverseNorms: new Float64Array(0),
    owners: new Uint32Array(0),
    ownerNames: [],
    contentKeys: new Uint32Array(0),
  });
}

/** Laid over the index's own terms, not copied: these are hundreds of thousands, and every user gets such a layer. */
function withUnmet({ terms, settings }: GlobalIndex["parts"], documents: readonly { readonly text: string }[]): Terms {
  const tokenize = termTokens(settings.stopWords);
  const unmet = new Set(
    documents.flatMap(({ text }) => tokenize(text)).filter((token) => terms.get(token) === undefined),
  );
  if (unmet.size === 0) return terms;
  const layer = new Map([...unmet].map((token, index) => [token, terms.size + index]));
  return {
    size: terms.size + layer.size,
    get: (token) => terms.get(token) ?? layer.get(token),
    *keys() {
      yield* terms.keys();
      yield* layer.keys();
      return undefined;
    },
  };
}
