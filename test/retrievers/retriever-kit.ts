import { hashed1 } from "../../src/embedders/hashed-1.js";
import { seeded } from "../../src/random/seeded.js";
import { pySplit } from "../../src/text/python.js";
import type { Retriever, RetrieverDocument, RetrieverKit } from "../../src/types/index.js";

export const retrieverKit = (): RetrieverKit => ({ tokenize: pySplit, embedder: hashed1, random: seeded("test") });

/** Document numbers of the best `k`, best first. */
export async function ranked(
  retriever: Retriever,
  documents: readonly (string | RetrieverDocument)[],
  query: string,
  k: number,
): Promise<number[]> {
  const indexed = documents.map((document) => (typeof document === "string" ? { text: document } : document));
  const search = await retriever.index(indexed, retrieverKit());
  return (await search(query, k)).map(({ index }) => index);
}
