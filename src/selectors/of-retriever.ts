import { decimalOr } from "../registry/options.js";
import { appendableSearch } from "../retrievers/appendable-search.js";
import type { Kit, OpenSelector, OptionTable, Retriever, Selector } from "../types/index.js";

const known = new WeakMap<Retriever, Selector>();

/** Returns a retriever as a selector. One and the same for one retriever. */
export function retrieverSelector(retriever: Retriever): Selector {
  const made = known.get(retriever) ?? selectorOf(retriever);
  known.set(retriever, made);
  return made;
}

const ABOVE = "select.above";

const aboveOption: OptionTable = {
  [ABOVE]: decimalOr({
    default: "none",
    word: "none",
    help: "a retriever named by select shows only events that score above this (RUMS: 0; its table 23 tries -1 to 1)",
  }),
};

/** Chooses the best matching events, as many as asked for; with a threshold, those of them that score above it. */
function selectorOf(retriever: Retriever): Selector {
  const { name, summary, source, embeds = false, ignoresQuery = false } = retriever;
  return {
    name,
    summary,
    source,
    options: ignoresQuery ? {} : aboveOption,
    ...(ignoresQuery ? {} : { scores: true }),
    embeds: () => embeds,
    async open(history, options, use, unitKit) {
      const least = ignoresQuery ? undefined : options[ABOVE];
      const kitOf = ({ embedder, random }: Kit) => ({ tokenize: use.tokenize, embedder, random: random(use.stream) });
      const search = await appendableSearch(retriever, history, use.document, kitOf(unitKit));
      const selecting: OpenSelector = async ({ query, k }) => {
        const hits = k === 0 ? [] : await search(query, k);
        const ranked = hits.map(({ item, score }, at) => ({ event: item, score, reason: `rank ${at + 1}` }));
        if (typeof least !== "number") return { chosen: ranked };
        const chosen = ranked.filter(({ score }) => score > least);
        return chosen.length === 0 ? { chosen, abstained: `no event has a score above ${least}` } : { chosen };
      };
      selecting.add = (event, kit) => search.add(event, kitOf(kit));
      return selecting;
    },
  };
}
