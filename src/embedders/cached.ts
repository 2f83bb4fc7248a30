import { sha256 } from "../text/content-id.js";
import { nounOf } from "../text/count.js";
import type { Embedder } from "../types/index.js";

/** Texts computed before their vectors are stored: a process that dies loses at most so many per call under way. */
const BATCH_TEXTS = 64;

/**
 * An embedder that computes each text once: vectors come from the store where it has them, and a text that is being
 * computed is waited for, not computed again. Failures are not kept: the next call tries those texts anew.
 */
export function cachedEmbedder(embedder: Embedder, store: VectorStore): Embedder {
  const inFlight = new Map<string, Promise<Float32Array>>();

  /** Starts one batch and announces its vectors, so that other calls can wait for them. */
  function start(batch: readonly Wanted[]): void {
    const computed = checked(embedder, batch);
    for (const [i, [key]] of batch.entries()) {
      const kept = computed.then((vectors) => {
        store.put(key, vectors[i]!);
        return vectors[i]!;
      });
      inFlight.set(
        key,
        kept.finally(() => inFlight.delete(key)),
      );
    }
  }

  return embeddedBy(embedder, async (texts, keys) => {
    const wanted = [...new Map(keys.map((key, i) => [key, texts[i]!]))];
    const missing = wanted.filter(([key]) => store.get(key) === undefined);
    const vectors = new Map<string, Float32Array>();
    for (let i = 0; i < missing.length; i += BATCH_TEXTS) {
      const batch = missing.slice(i, i + BATCH_TEXTS);
      const known = batch.map(([key]) => store.get(key) ?? inFlight.get(key));
      const uncomputed = batch.filter((_, at) => known[at] === undefined);
      if (uncomputed.length > 0) start(uncomputed);
      const got = await Promise.all(batch.map(([key], at) => known[at] ?? inFlight.get(key)!));
      for (const [at, [key]] of batch.entries()) vectors.set(key, got[at]!);
    }
    return keys.map((key) => vectors.get(key) ?? store.get(key)!);
  });
}

/** The same embedder, whose vectors come from `embed` by their keys. */
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
      texts.map((text) => vectorKey(embedder.id, text)),
    ),
});

/** The store's key of a text's vector. */
function vectorKey(embedderId: string, text: string): string {
  return sha256(`${embedderId}\n${text}`);
}

type Wanted = readonly [key: string, text: string];

async function checked(embedder: Embedder, batch: readonly Wanted[]): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(batch.map(([, text]) => text));
  if (vectors.length === batch.length) return vectors;
  throw new Error(
    `${embedder.id} returned ${vectors.length} ${nounOf(vectors.length, "vector")} for ${batch.length} ${nounOf(batch.length, "text")}`,
  );
}

/** Where vectors are kept, by a key that names both the embedder and the text. */
export interface VectorStore {
  get(key: string): Float32Array | undefined;
  /** The first vector of a key stays. */
  put(key: string, vector: Float32Array): void;
}

/** A store that lives as long as the process. */
export function memoryVectors(): VectorStore {
  const vectors = new Map<string, Float32Array>();
  return {
    get: (key) => vectors.get(key),
    put(key, vector) {
      if (!vectors.has(key)) vectors.set(key, vector);
    },
  };
}

/** An embedder that computes nothing: all its vectors stand in a recording. */
export const recordedEmbedder = (id: string, miss: () => Error): Embedder => ({
  id,
  dimensions: 0,
  embed: () => Promise.reject(miss()),
});
