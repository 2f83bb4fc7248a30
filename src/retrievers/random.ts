import type { Retriever, Search } from "../types/index.js";

/** The control: whatever was asked, a draw from the history. */
export const random: Retriever = {
  name: "random",
  summary: "a seeded draw without replacement, whatever the query says",
  source: "LaMP rank_profiles.py (random), which draws with replacement",
  ignoresQuery: true,
  async index(documents, kit) {
    const all = documents.map((_, index) => ({ index, score: 0 }));
    let { random } = kit;
    // The query only names the stream, so that a draw does not depend on the order in which questions are asked.
    const search: Search = async (query, k) => random.fork(query).sample(all, Math.max(0, k));
    search.add = async (_document, laterKit) => {
      all.push({ index: all.length, score: 0 });
      random = laterKit.random;
    };
    return search;
  },
};
