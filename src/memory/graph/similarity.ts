import type { TfIdfSettings } from "../../retrievers/tf-idf-terms.js";
import type { Embedder, Event, Hit, SharedContent } from "../../types.js";
import type { Interaction } from "./knowledge-graph.js";

/** What a search of other users' interactions must leave out. */
interface Unseen {
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
  global(query: string, k: number, above: number, unseen: Unseen): Promise<readonly Hit[]>;
  /** Among one user's own events, with the word weights of the pool; hits are indexes into `events`. */
  own(events: readonly Event[]): Promise<OwnSearch>;
}

export interface OwnSearch {
  (query: string, k: number, above: number): Promise<readonly Hit[]>;
  /** Adds an event behind the others: hits are then, to the last bit, those of a search opened over all of them. */
  add(event: Event): Promise<void>;
}

interface SimilaritySettings {
  readonly embedder: Embedder;
  readonly tfIdf: TfIdfSettings;
  /** Keeps what is costly to build. */
  readonly shared: Keep;
}

export type OpenSimilarity = (pool: readonly Interaction[], settings: SimilaritySettings) => Promise<Similarity>;

/**
 * Builds a value once per cell; with a content id once for all cells with this pool, and with a codec it is kept between runs:
 * `shared` of a kit, for builds that ask nothing.
 */
export type Keep = <T>(key: string, build: () => Promise<T>, made?: SharedContent<T>) => Promise<T>;
