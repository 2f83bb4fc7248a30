import type { OpenSimilarity } from "./similarity.js";
import { denseSimilarity } from "./similarity-dense.js";
import { tfIdfSimilarity } from "./similarity-tf-idf.js";

/** By the value of `graph-rag.weighting`. */
export const similarities = {
  tfidf: tfIdfSimilarity,
  dense: denseSimilarity,
} as const satisfies Readonly<Record<string, OpenSimilarity>>;
