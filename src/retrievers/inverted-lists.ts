import type { Hit, Random } from "../types/index.js";
import { dot } from "./dense.js";

interface InvertedListSettings {
  /** Number of lists (FAISS `nlist`). */
  readonly lists: number;
  /** Number of lists that a search visits (FAISS `nprobe`). */
  readonly probes: number;
  /** Most rounds of k-means. */
  readonly iterations: number;
}

/** Vectors in lists by their nearest centre (FAISS `IndexIVFFlat`, inner product). */
export interface InvertedLists {
  add(vector: Float32Array): void;
  /** The best `k` of the lists nearest to the query, best first; of equals the earlier one. */
  search(query: Float32Array, k: number): readonly Hit[];
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
    lists[nearestCentroid(vector, centres).place]?.push(all.length);
    all.push(vector);
  };
  for (const vector of vectors) add(vector);
  return {
    add,
    search(query, k) {
      const near = topKStable(
        centres.map((centre, index) => ({ index, score: dot(query, centre) })),
        settings.probes,
      );
      const held = near.flatMap(({ index }) => lists[index] ?? []);
      return topKStable(
        held.map((index) => ({ index, score: dot(query, all[index]!) })),
        k,
      );
    },
  };
}

/** Returns the best `k`, best first; of equals the one with the smaller index. */
export function topKStable(hits: readonly Hit[], k: number): Hit[] {
  return [...hits].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, k);
}

/**
 * Computes seeded k-means of vectors of length 1 by inner product, centres scaled to length 1 after each round, as FAISS trains the coarse
 * quantizer of an inner-product IVF index (spherical). Starts from `clusters` of the vectors; a centre that loses all its vectors
 * takes the one that fits its own centre worst. Ends early once no vector changes its cluster.
 */
export function kMeans(
  vectors: readonly Float32Array[],
  clusters: number,
  iterations: number,
  random: Random,
): readonly Float32Array[] {
  let centres: readonly Float32Array[] = random.sample(vectors, clusters);
  let before: readonly number[] = [];
  for (let round = 0; round < iterations; round += 1) {
    const fits = vectors.map((vector) => nearestCentroid(vector, centres));
    const places = fits.map(({ place }) => place);
    if (places.every((place, v) => place === before[v])) break;
    before = places;
    centres = means(vectors, fits, centres.length);
  }
  return centres;
}

/** Returns the centre with the largest inner product; the first of equals. */
export function nearestCentroid(
  vector: Float32Array,
  centres: readonly Float32Array[],
): { readonly place: number; readonly score: number } {
  let place = 0;
  let score = Number.NEGATIVE_INFINITY;
  for (const [index, centre] of centres.entries()) {
    const product = dot(vector, centre);
    if (product > score) {
      score = product;
      place = index;
    }
  }
  return { place, score };
}

type Fit = ReturnType<typeof nearestCentroid>;

function means(vectors: readonly Float32Array[], fits: readonly Fit[], clusters: number): readonly Float32Array[] {
  const sums = Array.from({ length: clusters }, () => new Float64Array(vectors[0]?.length ?? 0));
  const taken = new Set(fits.map(({ place }) => place));
  for (const [v, { place }] of fits.entries()) {
    const sum = sums[place]!;
    for (const [i, value] of vectors[v]!.entries()) sum[i]! += value;
  }
  const worst = fits.map((_fit, v) => v).sort((a, b) => fits[a]!.score - fits[b]!.score); // stable: of equals the earlier
  return sums.map((sum, place) => (taken.has(place) ? normalize(sum) : vectors[worst.shift() ?? 0]!));
}

function normalize(vector: Float64Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
