import type { Embedder } from "../types.js";
import { vectorKey } from "./cached.js";
import type { VectorStore } from "./vector-store.js";

/** An embedder that computes nothing: vectors come from a recording, and `miss` words the failure for a text without one. */
export function recordedEmbedder(
  id: string,
  vectors: Pick<VectorStore, "get">,
  miss: (text: string) => Error,
): Embedder {
  let dimensions = 0;
  return {
    id,
    get dimensions() {
      return dimensions;
    },
    async embed(texts) {
      return texts.map((text) => {
        const vector = vectors.get(vectorKey(id, text));
        if (vector === undefined) throw miss(text);
        dimensions ||= vector.length;
        return vector;
      });
    },
  };
}
