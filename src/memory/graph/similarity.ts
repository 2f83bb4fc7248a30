import { dot } from "../../retrievers/dense.js";
import { TopK } from "../../retrievers/sparse-index.js";
import { poolIndex, type TfIdfSettings, tfIdfIndex, tfIdfIndexWithIdf } from "../../retrievers/tf-idf-index.js";
import { normalized } from "../../text/words.js";
import type { Embedder, Event, Hit, PoolEvent } from "../../types/index.js";

/** The events that a search of other users' events must leave out. */
interface Exclusion {
  /** The asking user: never found, whatever the pool holds. */
  readonly owner: string;
  /** Contents whose twins are never found: that of the question. */
  readonly contents: readonly string[];
  /** Interactions that the asking user may not see, by number. */
  hidden(interaction: number): boolean;
}

/** Finds similar interactions, best first, only those more similar than `above`. Equal similarities: the earlier one. */
export interface Similarity {
  /** Among the pool's events; hits are interaction numbers. */
  global(query: string, k: number, above: number, unseen: Exclusion): Promise<readonly Hit[]>;
  /** Among one user's own events, with the word weights of the pool; hits are indexes into `events`. */
  own(events: readonly Event[]): Promise<UserSearch>;
}

export interface UserSearch {
  (query: string, k: number, above: number): Promise<readonly Hit[]>;
  /** Adds an event behind the others: hits are then, to the last bit, those of a search opened over all of them. */
  add(event: Event): Promise<void>;
}

export type OpenSimilarity = (
  pool: readonly PoolEvent[],
  settings: { readonly embedder: Embedder; readonly tfIdf: TfIdfSettings },
) => Promise<Similarity>;

/**
 * Vocabulary and idf are learned from the pool and stay fixed: a user's own events are weighed by them, so that nothing of
 * one user changes what another sees. Words that only this user has are as rare as a word can be there (df = 0); a limited
 * vocabulary (`maxFeatures`) drops them, as scikit-learn's `transform` does. An empty pool (own events alone) lets each
 * user's events be their own corpus.
 */
const tfIdfSimilarity: OpenSimilarity = async (pool, { tfIdf }) => {
  const index = poolIndex(
    pool.map(({ owner, event }) => ({ owner, text: event.document, content: event.content })),
    tfIdf,
  );
  return {
    global: async (query, k, above, { owner, contents, hidden }) =>
      index.top(query, k, { above, owner, contents, skip: hidden }),
    own: async (events) => {
      const ownIndex = pool.length === 0 ? tfIdfIndex(tfIdf) : tfIdfIndexWithIdf(index);
      for (const { document } of events) ownIndex.add(document);
      const search: UserSearch = async (query, k, above) => ownIndex.top(query, k, above);
      search.add = async ({ document }) => ownIndex.add(document);
      return search;
    },
  };
};

/** Cosine of the run's embedder over whole documents, exact. */
const denseSimilarity: OpenSimilarity = async (pool, { embedder }) => {
  const rows = await embedEvents(
    pool.map(({ event }) => event),
    embedder,
  );
  return {
    async global(query, k, above, { owner, contents, hidden }) {
      const twins = new Set(contents.map(normalized));
      return nearest(rows, query, k, above, embedder, (number) => {
        const found = pool[number];
        return (
          found === undefined || found.owner === owner || hidden(number) || twins.has(normalized(found.event.content))
        );
      });
    },
    async own(events) {
      const ownRows = await embedEvents(events, embedder);
      const search: UserSearch = (query, k, above) => nearest(ownRows, query, k, above, embedder, () => false);
      search.add = async ({ document }) => {
        for (const vector of await embedder.embed([document])) ownRows.push(vector);
      };
      return search;
    },
  };
};

/** Returns one vector per event. */
const embedEvents = async (events: readonly Event[], embedder: Embedder): Promise<Float32Array[]> =>
  events.length === 0 ? [] : [...(await embedder.embed(events.map(({ document }) => document)))];

/** The `k` vectors with the largest dot product above `above`, best first, equal ones in order; none that is `excluded`. */
async function nearest(
  vectors: readonly Float32Array[],
  query: string,
  k: number,
  above: number,
  embedder: Embedder,
  excluded: (row: number) => boolean,
): Promise<readonly Hit[]> {
  const [queryVector] = await embedder.embed([query]);
  if (queryVector === undefined) return [];
  const best = new TopK(k, above);
  for (const [row, vector] of vectors.entries()) {
    const product = dot(queryVector, vector);
    if (product > best.threshold && !excluded(row)) best.add(row, product);
  }
  return best.hits();
}

/** Similarities by the value of `graph-rag.weighting`. */
export const similarities = {
  tfidf: tfIdfSimilarity,
  dense: denseSimilarity,
} as const satisfies Readonly<Record<string, OpenSimilarity>>;
