import { wordTokens } from "../text/tokens.js";
import { normalized } from "../text/words.js";
import type { Hit } from "../types/index.js";
import { numpyArgsort } from "./numpy-argsort.js";
import { type Postings, TermTable, TopK } from "./sparse-index.js";

export interface TfIdfSettings {
  /** Words left out of documents and queries. Default: none. */
  readonly stopWords?: ReadonlySet<string>;
  /** Keep only so many terms, those with the highest count over the corpus. Default: all. */
  readonly maxFeatures?: number;
}

/** Cuts a text into scikit-learn's default tokens, stop words left out. */
export function termTokens(stopWords: ReadonlySet<string> | undefined): (text: string) => string[] {
  if (stopWords === undefined) return wordTokens;
  return (text) => wordTokens(text).filter((token) => !stopWords.has(token));
}

/** Returns scikit-learn's smoothed idf of a term in `documentFrequency` of `size` documents. */
export function smoothIdf(size: number, documentFrequency: number): number {
  return Math.log((1 + size) / (1 + documentFrequency)) + 1;
}

/** The idf of a term by its number; 0: the term is left out. */
type IdfOf = (term: number) => number;

/** The idf that a corpus gives its own terms, those that `maxFeatures` keeps. Valid until a document is added. */
function fittedIdf(table: TermTable, { maxFeatures }: TfIdfSettings): IdfOf {
  const { size, terms } = table;
  const byFrequency = new Float64Array(size + 1); // no idf is 0
  const isKept = maxFeatures === undefined ? undefined : commonestTerms(terms, totals(table), maxFeatures);
  return (term) => {
    if (isKept?.[term] === 0) return 0;
    const frequency = table.frequency(term);
    if (byFrequency[frequency] === 0) byFrequency[frequency] = smoothIdf(size, frequency);
    return byFrequency[frequency]!;
  };
}

/**
 * 1 for the `limit` terms with the highest `totals` (counts over the corpus), 0 for the others; `terms` maps a name to
 * its index in `totals`. Equal totals fall to the terms that numpy's argsort puts first, as in scikit-learn.
 */
function commonestTerms(terms: ReadonlyMap<string, number>, totals: Float64Array, limit: number): Uint8Array {
  const kept = new Uint8Array(terms.size);
  if (limit >= kept.length) return kept.fill(1);
  const byAlphabet = [...terms].sort(byName).map(([, term]) => term);
  const commonestFirst = numpyArgsort(byAlphabet.map((term) => -totals[term]!));
  for (const index of commonestFirst.subarray(0, limit)) kept[byAlphabet[index]!] = 1;
  return kept;
}

/** Order of names by code unit: the order of scikit-learn's vocabulary. */
const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1);

/** Returns the count of each term over the corpus. */
function totals(table: TermTable): Float64Array {
  const sums = new Float64Array(table.terms.size);
  for (let document = 0; document < table.size; document++)
    table.visit(document, (term, count) => {
      sums[term]! += count;
    });
  return sums;
}

/** One document of a corpus of many users. */
export interface PoolDocument {
  /** The user it belongs to. */
  readonly owner: string;
  /** The text that is searched. */
  readonly text: string;
  /** Documents with equal content are twins; default: `text`. Case and spacing do not count. */
  readonly content?: string;
}

/** Documents that may not be found. */
interface Exclusion {
  /** No document of this user. */
  readonly owner?: string;
  /** No document with one of these contents (`PoolDocument.content`; case and spacing do not count). */
  readonly contents?: readonly string[];
  /** No document for which this says true. Asked only of documents that would be among the best. */
  readonly skip?: (document: number) => boolean;
  /** Only documents more similar than this. Default 0: a hit shares at least one known term with the query. */
  readonly above?: number;
}

/** TF-IDF cosine search over the documents of many users. Immutable. */
export interface PoolIndex {
  /** Number of documents; they are numbered in the order in which they came. */
  readonly size: number;
  readonly settings: TfIdfSettings;
  /** The idf of a term as these documents have taught it; undefined for a term that they do not hold. */
  idfOf(token: string): number | undefined;
  /**
   * The `k` documents most similar to the query, best first, equal similarities in document order; fewer where fewer
   * qualify. Exact, scored in 64-bit floats.
   */
  top(query: string, k: number, except?: Exclusion): Hit[];
}

/**
 * Indexes documents, one at a time, for the similarities of scikit-learn's
 * `TfidfVectorizer(stop_words=..., max_features=...)` fitted on them.
 */
export function poolIndex(documents: Iterable<PoolDocument>, settings: TfIdfSettings = {}): PoolIndex {
  const tokenize = termTokens(settings.stopWords);
  const table = new TermTable();
  const owners: string[] = [];
  const allContents: string[] = [];
  for (const { owner, text, content = text } of documents) {
    table.add(tokenize(text));
    owners.push(owner);
    allContents.push(content);
  }
  const weights = fittedWeights(table, settings);
  return {
    settings,
    size: table.size,
    idfOf: (token) => (table.terms.has(token) ? weights.idfOf(token) : undefined),
    top(query, k, { owner, contents = [], skip, above = 0 } = {}) {
      const twins = new Set(contents.map(normalized));
      const isTwin = (document: number): boolean => twins.size > 0 && twins.has(normalized(allContents[document]!));
      const excluded = (document: number): boolean =>
        owners[document] === owner || isTwin(document) || skip?.(document) === true;
      return nearest(table, weights, tokenize(query), { k, above, excluded });
    },
  };
}

/** TF-IDF cosine search over documents that may become more. */
interface TfIdfIndex {
  /** Adds the next document, at the cost of its own words. */
  add(text: string): void;
  /** The `k` most similar of those more similar than `above`, best first, equal similarities in document order. */
  top(query: string, k: number, above: number): Hit[];
}

interface FittedTfIdfIndex extends TfIdfIndex {
  /** Cosine of the query with every document, 0..1; 0 where either holds no known term. */
  similarities(query: string): Float64Array;
}

/**
 * Opens an index with its own idf: the hits of a `poolIndex` over all its documents, to the last bit. A document
 * more changes the weight of every word, so that the first search behind an addition weighs the documents anew.
 */
export function tfIdfIndex(settings: TfIdfSettings = {}): FittedTfIdfIndex {
  const tokenize = termTokens(settings.stopWords);
  const table = new TermTable();
  let weights: Weights | undefined; // of the documents that there are
  const currentWeights = (): Weights => {
    weights ??= fittedWeights(table, settings);
    return weights;
  };
  return {
    add(text) {
      table.add(tokenize(text));
      weights = undefined;
    },
    top: (query, k, above) => nearest(table, currentWeights(), tokenize(query), { k, above }),
    similarities: (query) => cosines(table, currentWeights(), tokenize(query)),
  };
}

/**
 * Opens an index with another index's idf, which additions do not change. A word unknown to the other has the idf
 * of df = 0; if the other has `maxFeatures`, the word is left out, as by scikit-learn's `transform`.
 */
export function tfIdfIndexWithIdf({ settings, size, idfOf: learned }: Omit<PoolIndex, "top">): TfIdfIndex {
  const tokenize = termTokens(settings.stopWords);
  const unseenIdf = settings.maxFeatures === undefined ? smoothIdf(size, 0) : 0;
  const table = new TermTable();
  const idf: number[] = []; // by term of the table
  const inverseNorms: number[] = [];
  const idfOf = (token: string): number => learned(token) ?? (table.terms.has(token) ? unseenIdf : 0);
  const weights: Weights = { idfOf, inverseNorms, postings: (term) => table.postings(term) };
  return {
    add(text) {
      const tokens = tokenize(text).filter((token) => (learned(token) ?? unseenIdf) > 0);
      table.add(tokens);
      for (const token of tokens) idf[table.terms.get(token)!] ??= idfOf(token);
      inverseNorms.push(inverseNorm(table, table.size - 1, (term) => idf[term]!));
    },
    top: (query, k, above) => nearest(table, weights, tokenize(query), { k, above }),
  };
}

interface Weights {
  /** The idf of a word of a query; 0: unknown, or left out. */
  readonly idfOf: (token: string) => number;
  /** 1 / length of the TF-IDF vector of each document; 0 for a document without a known word. */
  readonly inverseNorms: ArrayLike<number>;
  readonly postings: (term: number) => Postings;
}

/** Weights that the documents of the table give their own words. Valid until a document is added. */
function fittedWeights(table: TermTable, settings: TfIdfSettings): Weights {
  const idf = fittedIdf(table, settings);
  const postingsCache = new Map<number, Postings>();
  return {
    idfOf(token) {
      const term = table.terms.get(token);
      return term === undefined ? 0 : idf(term);
    },
    inverseNorms: Float64Array.from({ length: table.size }, (_, document) => inverseNorm(table, document, idf)),
    postings(term) {
      const postings = postingsCache.get(term) ?? table.postings(term);
      postingsCache.set(term, postings);
      return postings;
    },
  };
}

function inverseNorm(table: TermTable, document: number, idfOf: IdfOf): number {
  let square = 0;
  table.visit(document, (term, count) => {
    square += (count * idfOf(term)) ** 2;
  });
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}

interface Wanted {
  readonly k: number;
  readonly above: number;
  readonly excluded?: (document: number) => boolean;
}

function nearest(table: TermTable, weights: Weights, query: readonly string[], { k, above, excluded }: Wanted): Hit[] {
  const best = new TopK(Math.min(k, table.size), above);
  for (const [document, score] of cosines(table, weights, query).entries())
    if (score > best.threshold && excluded?.(document) !== true) best.add(document, score);
  return best.hits();
}

/** Returns the query's TF-IDF vector of length 1 times those of the documents. */
function cosines(table: TermTable, { idfOf, inverseNorms, postings }: Weights, query: readonly string[]): Float64Array {
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
    const { documents, counts } = postings(term);
    for (let i = 0; i < documents.length; i++) scores[documents[i]!]! += factor * counts[i]!;
  }
  return scores.map((score, document) => score * inverseNorms[document]!);
}
