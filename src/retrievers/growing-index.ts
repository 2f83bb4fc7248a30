import type { Hit } from "../types.js";
import { BestFew } from "./best-few.js";
import type { GlobalIndex } from "./global-index.js";
import { TermTable } from "./term-table.js";
import { type IdfOf, learnedIdf, smoothIdf, type TfIdfSettings, termTokens } from "./tf-idf-terms.js";

/** TF-IDF cosine search over the documents of one user, which may become more. */
interface GrowingIndex {
  /** Adds the next document, at the cost of its own words. */
  add(text: string): void;
  /** The `k` most similar of those more similar than `above`, best first, equal similarities in document order. */
  top(query: string, k: number, above: number): Hit[];
}

/**
 * An index that weighs its words itself: the hits of a `globalIndex` built over all its documents, to the last bit. A document
 * more changes the weight of every word, so that the first search behind an addition weighs the documents anew.
 */
export function growingIndex(settings: TfIdfSettings): GrowingIndex {
  const tokenize = termTokens(settings.stopWords);
  const table = new TermTable();
  let weights: Weights | undefined; // of the documents that there are
  return {
    add(text) {
      table.add(tokenize(text));
      weights = undefined;
    },
    top(query, k, above) {
      weights ??= ownWeights(table, settings);
      return nearest(table, weights, tokenize(query), { k, above });
    },
  };
}

/**
 * An index that weighs words as another one has learned them, which additions do not change: words that the other has not met are as
 * rare as a word can be there (df = 0), or left out where it keeps its most frequent words only, as by scikit-learn's `transform`.
 */
export function growingIndexBy({ parts, size }: Pick<GlobalIndex, "parts" | "size">): GrowingIndex {
  const tokenize = termTokens(parts.settings.stopWords);
  const unmet = parts.settings.maxFeatures === undefined ? smoothIdf(size, 0) : 0;
  const table = new TermTable();
  const idf: number[] = []; // by term of the table
  const inverseNorms: number[] = [];
  const learned = (token: string): number | undefined => {
    const term = parts.terms.get(token);
    return term === undefined ? undefined : parts.idf[term];
  };
  const idfOf = (token: string): number => learned(token) ?? (table.terms.has(token) ? unmet : 0);
  return {
    add(text) {
      const tokens = tokenize(text).filter((token) => (learned(token) ?? unmet) > 0);
      table.add(tokens);
      for (const token of tokens) idf[table.terms.get(token)!] ??= idfOf(token);
      inverseNorms.push(inverseNorm(table, table.size - 1, (term) => idf[term]!));
    },
    top: (query, k, above) => nearest(table, { idfOf, inverseNorms }, tokenize(query), { k, above }),
  };
}

interface Weights {
  /** The idf of a word of a query; 0: unknown. */
  readonly idfOf: (token: string) => number;
  /** By document: 1 / length of its TF-IDF vector; 0 for a document without a known word. */
  readonly inverseNorms: ArrayLike<number>;
}

/** A count is kept in 16 bits by `globalIndex`. */
const MOST = 0xffff;

function ownWeights(table: TermTable, settings: TfIdfSettings): Weights {
  const idf = learnedIdf(table, settings);
  return {
    idfOf(token) {
      const term = table.terms.get(token);
      return term === undefined ? 0 : idf(term);
    },
    inverseNorms: Float64Array.from({ length: table.size }, (_, document) => inverseNorm(table, document, idf)),
  };
}

function inverseNorm(table: TermTable, document: number, idfOf: IdfOf): number {
  let square = 0;
  table.visit(document, (term, count) => {
    square += (Math.min(count, MOST) * idfOf(term)) ** 2;
  });
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}

/** In the order of operations of `globalIndex`. */
function nearest(
  table: TermTable,
  { idfOf, inverseNorms }: Weights,
  query: readonly string[],
  { k, above }: { readonly k: number; readonly above: number },
): Hit[] {
  const weights = new Map<string, number>();
  for (const token of query) {
    const idf = idfOf(token);
    if (idf > 0) weights.set(token, (weights.get(token) ?? 0) + idf);
  }
  const norm = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
  const scores = new Float64Array(table.size);
  for (const [token, weight] of weights) {
    const term = table.terms.get(token);
    if (term === undefined) continue;
    const factor = (weight / norm) * idfOf(token);
    const { documents, counts } = table.postings(term);
    for (let i = 0; i < documents.length; i++) scores[documents[i]!]! += factor * Math.min(counts[i]!, MOST);
  }
  const best = new BestFew(Math.min(k, table.size), above);
  for (let document = 0; document < table.size; document++) {
    const score = scores[document]! * inverseNorms[document]!;
    if (score > best.threshold) best.add(document, score);
  }
  return best.hits();
}
