import type { Hit, Random } from "../types.js";
import { best, dot, kMeans } from "./k-means.js";

interface InvertedListSettings {
  /** Number of lists (FAISS `nlist`). */
  readonly lists: number;
  /** How many lists a search looks through (FAISS `nprobe`). */
  readonly probes: number;
  /** Most rounds of k-means. */
  readonly iterations: number;
}

/** Vectors in lists by their nearest centre (FAISS `IndexIVFFlat`, inner product). */
export interface InvertedLists {
  add(vector: Float32Array): void;
  /** The best `k` of the lists nearest to the query, best first; of equals the earlier one. */
  search(query: Float32Array, k: number): readonly Hit[];
  /** How many vectors a search for this query compares with. */
  scanned(query: Float32Array): number;
  /** The same lists, so many of which are looked through. */
  withProbes(probes: number): Pick<InvertedLists, "search" | "scanned">;
}

/** Trains the lists on these vectors and puts them in. Fewer vectors than lists: as many lists as vectors. */
export function invertedLists(
  vectors: readonly Float32Array[],
  settings: InvertedListSettings,
  random: Random,
): InvertedLists {
  const centres = kMeans(vectors, Math.min(settings.lists, vectors.length), settings.iterations, random);
  const all: Float32Array[] = [];
  const lists: number[][] = centres.map(() => []);
  const add = (vector: Float32Array): void => {
    lists[best(vector, centres).place]?.push(all.length);
    all.push(vector);
  };
  for (const vector of vectors) add(vector);
  const withProbes: InvertedLists["withProbes"] = (probes) => {
    const probed = (query: Float32Array): readonly (readonly number[])[] =>
      topOf(
        centres.map((centre, index) => ({ index, score: dot(query, centre) })),
        probes,
      ).map(({ index }) => lists[index] ?? []);
    return {
      search: (query, k) =>
        topOf(
          probed(query).flatMap((list) => list.map((index) => ({ index, score: dot(query, all[index]!) }))),
          k,
        ),
      scanned: (query) => probed(query).reduce((sum, list) => sum + list.length, 0),
    };
  };
  return { add, withProbes, ...withProbes(settings.probes) };
}

/** The best `k`, best first; of equals the one with the smaller index. */
export function topOf(hits: readonly Hit[], k: number): Hit[] {
  return [...hits].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, k);
}
