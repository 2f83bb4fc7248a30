import { redactedError } from "../secrets/redacted-error.js";
import type { Redactor } from "../secrets/redactor.js";
import type { Embedder } from "../types.js";

/** An embedder whose errors hold no secret. */
export function redactedEmbedder(embedder: Embedder, redact: Redactor): Embedder {
  return {
    id: embedder.id,
    get dimensions() {
      return embedder.dimensions;
    },
    async embed(texts) {
      try {
        return await embedder.embed(texts);
      } catch (error) {
        throw redactedError(error, redact);
      }
    },
  };
}
