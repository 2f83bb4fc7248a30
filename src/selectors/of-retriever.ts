import { growingSearch } from "../retrievers/growing-search.js";
import type { Retriever, Selecting, Selector } from "../types/index.js";

const known = new WeakMap<Retriever, Selector>();

/** A retriever as a selector: the best matching events, as many as asked for. One and the same for one retriever. */
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
    const search = await growingSearch(retriever, history, use.document, kitOf(unitKit));
    const selecting: Selecting = async ({ query, k }) => {
      const hits = k === 0 ? [] : await search(query, k);
      return { chosen: hits.map(({ item, score }, at) => ({ event: item, score, reason: `rank ${at + 1}` })) };
    };
    selecting.add = (event, kit) => search.add(event, kitOf(kit));
    return selecting;
  },
});
