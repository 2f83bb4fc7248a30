import { dense } from "../retrievers/dense.js";
import type { Selecting, Selector } from "../types.js";
import { retrieverSelector } from "./of-retriever.js";

/** RUMS, section 4.3: no more than five. */
const MOST = 5;

export const similar: Selector = {
  name: "similar",
  summary: "the most similar events by the run's embedder, at most 5, none with a cosine of 0 or less",
  source: "RUMS, baseline Semantic Similarity (all-MiniLM-L6-v2)",
  options: {},
  async open(history, _options, use, unitKit) {
    const search = await retrieverSelector(dense).open(history, {}, use, unitKit);
    const selecting: Selecting = async (ask, kit) => {
      const { chosen } = await search({ ...ask, k: Math.min(ask.k, MOST) }, kit);
      const alike = chosen.filter(({ score = 0 }) => score > 0);
      return { chosen: alike, ...(alike.length === 0 ? { abstained: "no event has a cosine above 0" } : {}) };
    };
    selecting.add = search.add;
    return selecting;
  },
};
