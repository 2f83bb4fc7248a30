import { UsageError } from "../errors.js";
import { knownSecrets, type Redactor, redactedError, redactor } from "../net/secrets.js";
import { registry } from "../registry/registry.js";
import type { Embedder } from "../types/index.js";
import { embedded } from "./hashed-1.js";
import { onnx } from "./onnx.js";
import { openai } from "./openai.js";
import type { EmbedderProvider, EmbedderSettings } from "./provider.js";
import { useLite } from "./use-lite.js";

export type { EmbedderProvider, EmbedderSettings } from "./provider.js";

/** Every family of embedders, by the part of an embedder's id before the slash. */
export const embedderProviders = registry<EmbedderProvider>("embedder provider", [embedded, onnx, openai, useLite]);

/** The embedder of a run that names none. */
export const defaultEmbedder = "embedded/hashed-1";

/** Opens `provider/id`, e.g. `embedded/hashed-1`. Throws UsageError for an id without a slash or an unknown part. */
export async function openEmbedder(
  id: string,
  settings: EmbedderSettings,
  among = embedderProviders,
): Promise<Embedder> {
  const opened = await embedderProvider(id, among).open(id.slice(id.indexOf("/") + 1), settings);
  return redactedEmbedder(opened, redactor(knownSecrets(settings.env)));
}

/** The family that an embedder's id names. Throws UsageError as `openEmbedder` does. */
export function embedderProvider(id: string, among = embedderProviders): EmbedderProvider {
  const slash = id.indexOf("/");
  if (slash < 0) throw new UsageError(`embedder "${id}": expected provider/id, for example ${defaultEmbedder}`);
  return among.get(id.slice(0, slash), `embedder "${id}"`);
}

/** An embedder whose errors hold no secret. */
function redactedEmbedder(embedder: Embedder, redact: Redactor): Embedder {
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
