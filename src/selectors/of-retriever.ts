import { decimal } from "../registry/options.js";
import { appendableSearch } from "../retrievers/appendable-search.js";
import { bm25 } from "../retrievers/bm25.js";
import { dense } from "../retrievers/dense.js";
import type { OpenSelector, Options, Retriever, Selector } from "../types/index.js";

const known = new WeakMap<Retriever, Selector>();

/** Returns a retriever as a selector: the best matching events, as many as asked for. One and the same for one retriever. */
export function retrieverSelector(retriever: Retriever): Selector {
  const made = known.get(retriever) ?? selectorOf(retriever);
  known.set(retriever, made);
  return made;
}

const selectorOf = (retriever: Retriever): Selector => ({
  name: retriever.name,
  summary: retriever.summary,
  source: retriever.source,
  options: {},
  async open(history, _options, use, unitKit) {
    const kitOf = ({ embedder, random }: typeof unitKit) => ({
      tokenize: use.tokenize,
      embedder,
      random: random(use.stream),
    });
    const search = await appendableSearch(retriever, history, use.document, kitOf(unitKit));
    const selecting: OpenSelector = async ({ query, k }) => {
      const hits = k === 0 ? [] : await search(query, k);
      return { chosen: hits.map(({ item, score }, at) => ({ event: item, score, reason: `rank ${at + 1}` })) };
    };
    selecting.add = (event, kit) => search.add(event, kitOf(kit));
    return selecting;
  },
});

/** RUMS, section 4.3: no more than five. */
const MAX_CHOSEN = 5;

const aboveOption = {
  "select.above": decimal({
    default: 0,
    help: "similar and bm25 show only events that score above this (RUMS: 0; its table 23 tries -1 to 1)",
  }),
} as const;

export const similar = aboveScore(dense, {
  name: "similar",
  summary: "the most similar events by the run's embedder, at most 5, none with a cosine of select.above (0) or less",
  source: "RUMS, baseline Semantic Similarity (all-MiniLM-L6-v2); ReContriever with embedder=onnx/PATH",
  most: MAX_CHOSEN,
});

export const bm25Above = aboveScore(bm25, {
  name: bm25.name,
  summary: "the events that share most words with the question, none with a score of select.above (0) or less",
  source: `${bm25.source}; RUMS, baseline BM25`,
});

interface AboveScore extends Pick<Selector, "name" | "summary" | "source"> {
  /** Most events, whatever the method asks for. */
  readonly most?: number;
}

/** A retriever's best events, as far as their scores are above a threshold. */
function aboveScore(
  retriever: Retriever,
  { most = Number.POSITIVE_INFINITY, ...named }: AboveScore,
): Selector<typeof aboveOption> {
  return {
    ...named,
    options: aboveOption,
    async open(history, { "select.above": least }: Options<typeof aboveOption>, use, unitKit) {
      const search = await retrieverSelector(retriever).open(history, {}, use, unitKit);
      const selecting: OpenSelector = async (ask, kit) => {
        const { chosen } = await search({ ...ask, k: Math.min(ask.k, most) }, kit);
        const alike = chosen.filter(({ score = 0 }) => score > least);
        return { chosen: alike, ...(alike.length === 0 ? { abstained: `no event has a score above ${least}` } : {}) };
      };
      selecting.add = search.add;
      return selecting;
    },
  };
}
