import MiniSearch from "minisearch";
import wink from "wink-bm25-text-search";
import { type GlobalDocument, globalIndex } from "../../../src/retrievers/global-index.js";
import { wordTokens } from "../../../src/text/tokens.js";

export interface Engine {
  readonly name: string;
  /** Indexes the documents and gives the search for the numbers of the best `k`. */
  index(documents: Iterable<GlobalDocument>): (query: string, k: number) => readonly number[];
}

const ours: Engine = {
  name: "ours",
  index(documents) {
    const index = globalIndex(documents);
    return (query, k) => index.top(query, k).map((hit) => hit.index);
  },
};

const winkEngine: Engine = {
  name: "wink",
  index(documents) {
    const engine = wink();
    engine.defineConfig({ fldWeights: { text: 1 } });
    engine.definePrepTasks([wordTokens]);
    let id = 0;
    for (const { text } of documents) engine.addDoc({ text }, String(id++));
    engine.consolidate(9);
    return (query, k) => engine.search(query, k).map(([found]) => Number(found));
  },
};

const miniSearchEngine: Engine = {
  name: "minisearch",
  index(documents) {
    const engine = new MiniSearch<{ id: number; text: string }>({
      fields: ["text"],
      tokenize: wordTokens,
      processTerm: (term) => term,
    });
    let id = 0;
    for (const { text } of documents) engine.add({ id: id++, text });
    return (query, k) =>
      engine
        .search(query)
        .slice(0, k)
        .map((found) => Number(found.id));
  },
};

/** Ours first. All cut texts into the same words. */
export const engines: readonly Engine[] = [ours, winkEngine, miniSearchEngine];
