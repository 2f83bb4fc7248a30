import type { Retriever, Search } from "../types/index.js";
import { top } from "./numpy-argsort.js";
import { type Scheme, sparseIndex } from "./sparse-index.js";
import type { TermTable } from "./term-table.js";
import { byName, type IdfOf, learnedIdf, type TfIdfSettings, termTokens } from "./tf-idf-terms.js";

/** Cosine of TF-IDF vectors, with scikit-learn's own lower-cased tokens and no stop words. */
export const tfIdf: Retriever = {
  name: "tf-idf",
  summary: "cosine of TF-IDF vectors, equal to scikit-learn's TfidfVectorizer with its defaults",
  source: "scikit-learn TfidfVectorizer, cosine_similarity",
  async index(documents) {
    const index = tfIdfIndex(documents.map(({ text }) => text));
    const search: Search = async (query, k) => top(index.similarities(query), k);
    search.add = async ({ text }) => index.add(text);
    return search;
  },
};

interface TfIdfIndex {
  /** Cosine of the query with every document, 0..1; 0 where either holds no known term. */
  similarities(query: string): Float64Array;
  /** Adds the next document: similarities are then those of an index built over all of them. */
  add(document: string): void;
  /** The kept terms, in code-unit order, with their idf. */
  readonly idf: ReadonlyMap<string, number>;
}

/**
 * The cosine similarities of scikit-learn's `TfidfVectorizer(stop_words=..., max_features=...)` fitted on `documents`:
 * raw counts times ln((1 + N) / (1 + df)) + 1, L2-normalized. An empty vocabulary, on which scikit-learn raises,
 * gives similarities of 0.
 */
export function tfIdfIndex(documents: readonly string[], settings: TfIdfSettings = {}): TfIdfIndex {
  const tokenize = termTokens(settings.stopWords);
  const index = sparseIndex(documents.map(tokenize), normalizedTfIdf(settings));
  const { table } = index;
  let learned: IdfOf | undefined; // from the documents that there are
  const learnedNow = (): IdfOf => {
    learned ??= learnedIdf(table, settings);
    return learned;
  };

  return {
    add(document) {
      index.add(tokenize(document));
      learned = undefined;
    },
    get idf() {
      const idfOf = learnedNow();
      const kept = [...table.terms].filter(([, term]) => idfOf(term) !== 0);
      return new Map(kept.sort(byName).map(([name, term]) => [name, idfOf(term)]));
    },
    similarities(query) {
      const idfOf = learnedNow();
      const weights = new Map<number, number>();
      for (const token of tokenize(query)) {
        const term = table.terms.get(token);
        if (term !== undefined) weights.set(term, (weights.get(term) ?? 0) + idfOf(term));
      }
      const scores = new Float64Array(table.size);
      const norm = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
      if (norm > 0) for (const [term, weight] of weights) index.addTerm(term, scores, weight / norm);
      return scores;
    },
  };
}

/** A term's count times idf, each document scaled to length 1 (all zeros stay zeros). */
function normalizedTfIdf(settings: TfIdfSettings): Scheme {
  return {
    weigh(table) {
      const idfOf = learnedIdf(table, settings);
      const lengths = new Float64Array(table.size).fill(-1); // by document, once it is asked for
      const lengthOf = (document: number): number => {
        if (lengths[document] === -1) lengths[document] = vectorLength(table, document, idfOf);
        return lengths[document]!;
      };
      return (term, { documents, counts }) => {
        const idf = idfOf(term);
        return Float64Array.from(documents, (document, i) => {
          const length = lengthOf(document);
          const weight = counts[i]! * idf;
          return length > 0 ? weight / length : weight;
        });
      };
    },
  };
}

function vectorLength(table: TermTable, document: number, idfOf: IdfOf): number {
  let sum = 0;
  table.visit(document, (term, count) => {
    const weight = count * idfOf(term);
    sum += weight * weight;
  });
  return Math.sqrt(sum);
}
