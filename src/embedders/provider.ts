import type { Embedder } from "../types.js";

/** A family of embedders behind one way of computing. Packages are imported inside `open`, so unused ones cost nothing. */
export interface EmbedderProvider {
  /** The part of `provider/embedder-id` before the slash. */
  readonly name: string;
  readonly summary: string;
  /** `id` is the part after the slash. Throws UsageError naming what is missing or unknown. */
  open(id: string, settings: EmbedderSettings): Promise<Embedder>;
}

export interface EmbedderSettings {
  /** The environment as handed in by the command line; keys come from nowhere else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly baseUrl?: string;
}
