import type { Retriever, Search } from "../types/index.js";
import { topKNumpyTies } from "./numpy-argsort.js";

/** Ranks by the dot product of the embedder's vectors: the cosine, where they have length 1. */
export const dense: Retriever = {
  name: "dense",
  summary: "dot product of vectors from the run's embedder: the cosine where they have length 1",
  source: "LaMP rank_profiles.py (contriever), with cosine in place of the raw dot product",
  embeds: true,
  async index(documents, { embedder }) {
    const vectors = [...(await embedder.embed(documents.map(({ text }) => text)))];
    const search: Search = async (query, k) => {
      const [queryVector] = await embedder.embed([query]);
      return topKNumpyTies(
        Float64Array.from(vectors, (vector) => dot(vector, queryVector!)),
        k,
      );
    };
    search.add = async ({ text }) => {
      vectors.push(...(await embedder.embed([text])));
    };
    return search;
  },
};

/** Returns the inner product; of vectors of length 1 the cosine. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
