import { naturalTerms, type TermReader } from "../text/tokens.js";
import type { Retriever } from "../types/index.js";
import { bm25Lucene } from "./bm25.js";
import { topKNumpyTies } from "./numpy-argsort.js";
import { sparseIndex } from "./sparse-index.js";

/** The practical linguistic variant: stemmed, case-folded words and an idf that is never negative. */
export const bm25Wink: Retriever = {
  name: "bm25-wink",
  summary: "BM25 by wink-bm25-text-search over stemmed, case-folded words (not the benchmark's own ranking)",
  source: "wink-bm25-text-search 3.1; natural 6.10 Porter stemmer",
  async index(documents) {
    const read = await naturalTerms();
    const texts = documents.map(({ text }) => text);
    const score = texts.length < WINK_MINIMUM ? lucene(texts, read) : await wink(texts, read);
    return async (query, k) => topKNumpyTies(score(query), k);
  },
};

type Scorer = (query: string) => Float64Array;

/** wink refuses to consolidate fewer documents. */
const WINK_MINIMUM = 3;

/** Decimals of wink's stored weights; its default of 4 rounds the idf of common words to nearly nothing. */
const PRECISION = 9;

/** wink returns only documents that share a word with the query; the others keep their score of 0. */
async function wink(texts: readonly string[], read: TermReader): Promise<Scorer> {
  const { default: createEngine } = await import("wink-bm25-text-search");
  const engine = createEngine();
  engine.defineConfig({ fldWeights: { text: 1 } });
  engine.definePrepTasks([read]);
  for (const [document, text] of texts.entries()) engine.addDoc({ text }, String(document));
  engine.consolidate(PRECISION);
  return (query) => {
    const scores = new Float64Array(texts.length);
    for (const [id, score] of engine.search(query, texts.length)) scores[Number(id)] = score;
    return scores;
  };
}

/** Scores with Lucene's BM25, which is wink's formula, for corpora that wink refuses. */
function lucene(texts: readonly string[], read: TermReader): Scorer {
  const index = sparseIndex(texts.map(read), bm25Lucene);
  return (query) => index.scores(read(query));
}
