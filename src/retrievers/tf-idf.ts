import type { Retriever, Search } from "../types/index.js";
import { topKNumpyTies } from "./numpy-argsort.js";
import { tfIdfIndex } from "./tf-idf-index.js";

/** Cosine of TF-IDF vectors, with scikit-learn's own lower-cased tokens and no stop words. */
export const tfIdf: Retriever = {
  name: "tf-idf",
  summary: "cosine of TF-IDF vectors, equal to scikit-learn's TfidfVectorizer with its defaults",
  source: "scikit-learn TfidfVectorizer, cosine_similarity",
  async index(documents) {
    const index = tfIdfIndex();
    for (const { text } of documents) index.add(text);
    const search: Search = async (query, k) => topKNumpyTies(index.similarities(query), k);
    search.add = async ({ text }) => index.add(text);
    return search;
  },
};
