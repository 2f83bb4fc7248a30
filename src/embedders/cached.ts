import { sha256 } from "../text/content-id.js";
import { countOf } from "../text/count.js";
import type { Embedder } from "../types/index.js";

/** Texts computed before their vectors are stored: a process that dies loses at most so many per call under way. */
const BATCH_TEXTS = 64;

/**
 * Returns an embedder that computes each text once: vectors come from the store where it has them, and a text that is being
 * computed is waited for, not computed again. Failures are not kept: the next call tries those texts anew.
 */
export function cachedEmbedder(embedder: Embedder, store: VectorStore): Embedder {
  const inFlight = new Map<string, Promise<void>>();
  return embeddedBy(embedder, async (texts, keys) => {
    const all = [...new Map(keys.map((key, i) => [key, texts[i]!]))];
    const missing = all.filter(([key]) => store.get(key) === undefined);
    for (let i = 0; i < missing.length; i += BATCH_TEXTS) {
      const batch = missing.slice(i, i + BATCH_TEXTS);
      const own = batch.filter(([key]) => store.get(key) === undefined && !inFlight.has(key));
      const stored = own.length === 0 ? Promise.resolve() : embedBatch(embedder, own, store);
      for (const [key] of own)
        inFlight.set(
          key,
          stored.finally(() => inFlight.delete(key)),
        );
      await Promise.all(batch.map(([key]) => inFlight.get(key)));
    }
    return keys.map((key) => store.get(key)!);
  });
}

/** Computes the vectors of texts, each with its key, and stores them. */
async function embedBatch(embedder: Embedder, batch: readonly (readonly [string, string])[], store: VectorStore) {
  const vectors = await embedder.embed(batch.map(([, text]) => text));
  if (vectors.length !== batch.length)
    throw new Error(
      `${embedder.id} returned ${countOf(vectors.length, "vector")} for ${countOf(batch.length, "text")}`,
    );
  for (const [i, [key]] of batch.entries()) store.put(key, vectors[i]!);
}

/** Returns the same embedder with another `embed`, which gets each text's key in a store. */
export const embeddedBy = (
  embedder: Embedder,
  embed: (texts: readonly string[], keys: readonly string[]) => Promise<Float32Array[]>,
): Embedder => ({
  id: embedder.id,
  get dimensions() {
    return embedder.dimensions;
  },
  embed: (texts) =>
    embed(
      texts,
      texts.map((text) => sha256(`${embedder.id}\n${text}`)),
    ),
});

/** A store of vectors, by a key that names both the embedder and the text. */
export interface VectorStore {
  get(key: string): Float32Array | undefined;
  /** The first vector of a key stays. */
  put(key: string, vector: Float32Array): void;
}

/** Returns a store that lives as long as the process. */
export function memoryVectors(): VectorStore {
  const vectors = new Map<string, Float32Array>();
  return {
    get: (key) => vectors.get(key),
    put(key, vector) {
      if (!vectors.has(key)) vectors.set(key, vector);
    },
  };
}

/** Returns an embedder that rejects every text: all vectors must come from a store around it. */
export const recordedEmbedder = (id: string, miss: () => Error): Embedder => ({
  id,
  dimensions: 0,
  embed: () => Promise.reject(miss()),
});
