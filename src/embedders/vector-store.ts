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
