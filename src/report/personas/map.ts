import { seeded } from "../../random/seeded.js";
import { type TsneMap, tsne } from "./tsne.js";

interface PersonaMap extends TsneMap {
  readonly perplexity: number;
}

/** Fewest points of which a map says anything. */
export const MIN_MAPPED = 5;

/**
 * Final personas and what they start from in the plane: exact t-SNE with perplexity min(30, (M - 1) / 3) for M points.
 * Undefined below five points. Source: METHODS 7.7, papers/000 Fig. 2.
 */
export function personaMap(vectors: readonly Float32Array[], seed: number): PersonaMap | undefined {
  if (vectors.length < MIN_MAPPED) return undefined;
  const perplexity = Math.min(30, (vectors.length - 1) / 3);
  return { ...tsne(vectors, { perplexity, random: seeded(`${seed}/persona-map`) }), perplexity };
}
