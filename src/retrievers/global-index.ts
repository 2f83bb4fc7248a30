import type { Hit } from "../types.js";
import { BestFew } from "./best-few.js";
import { writeContentKey } from "./content-key.js";
import { extendParts, fitParts } from "./global-index-fit.js";
import type { GlobalDocument, IndexParts } from "./global-index-parts.js";
import { type TfIdfSettings, termTokens } from "./tf-idf-terms.js";

/** What may not be found. */
interface Exclusion {
  /** No document of this user. */
  readonly owner?: string;
  /** No document with one of these contents (`GlobalDocument.content`; case and spacing do not count). */
  readonly contents?: readonly string[];
  /** No document for which this says true. Asked only of documents that would be among the best. */
  readonly skip?: (document: number) => boolean;
  /** Only documents more similar than this. Default 0: a hit shares at least one known term with the query. */
  readonly above?: number;
}

/** TF-IDF cosine search over the documents of many users. Immutable. */
export interface GlobalIndex {
  /** Number of documents; they are numbered in the order in which they came. */
  readonly size: number;
  /**
   * The `k` documents most similar to the query, best first, equal similarities in document order; fewer where fewer
   * qualify. Exact, scored in 64-bit floats.
   */
  top(query: string, k: number, except?: Exclusion): Hit[];
  /**
   * This index with further documents behind the present ones. Their words are weighed as the index learned them:
   * idf, vocabulary and the scores of present documents stay as they are until a new index is built. Copies the
   * arrays (no text is read again): add many at once rather than one by one.
   */
  extend(documents: Iterable<GlobalDocument>): GlobalIndex;
  /** The arrays behind it, for saving. */
  readonly parts: IndexParts;
}

/**
 * Indexes documents, one at a time, for the similarities of scikit-learn's
 * `TfidfVectorizer(stop_words=..., max_features=...)` fitted on them.
 */
export function globalIndex(documents: Iterable<GlobalDocument>, settings: TfIdfSettings = {}): GlobalIndex {
  return searchable(fitParts(documents, settings));
}

/** The search over ready arrays. */
export function searchable(parts: IndexParts): GlobalIndex {
  const size = parts.inverseNorms.length;
  const ownerNumbers = new Map(parts.ownerNames.map((name, number) => [name, number]));
  const tokenize = termTokens(parts.settings.stopWords);
  const scores = new Float64Array(size);

  return {
    size,
    parts,
    top(query, k, except = {}) {
      const best = new BestFew(Math.min(k, size), except.above ?? 0);
      const weights = queryWeights(tokenize(query), parts);
      if (weights.size === 0) return [];
      scores.fill(0);
      for (const [term, weight] of weights) addPostings(parts, term, weight, scores);
      const excluded = exclusion(except, parts, ownerNumbers);
      for (let document = 0; document < size; document++) {
        const score = scores[document]! * parts.inverseNorms[document]!;
        if (score > best.threshold && !excluded(document)) best.add(document, score);
      }
      return best.hits();
    },
    extend: (documents) => searchable(extendParts(parts, documents)),
  };
}

/** The query's TF-IDF vector of length 1, times each term's idf once more for the documents' bare counts. */
function queryWeights(tokens: readonly string[], { terms, idf }: IndexParts): Map<number, number> {
  const weights = new Map<number, number>();
  for (const token of tokens) {
    const term = terms.get(token);
    if (term !== undefined) weights.set(term, (weights.get(term) ?? 0) + idf[term]!);
  }
  const norm = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
  for (const [term, weight] of weights) weights.set(term, (weight / norm) * idf[term]!);
  return weights;
}

function addPostings(parts: IndexParts, term: number, weight: number, scores: Float64Array): void {
  const { documents, counts, offsets } = parts;
  const end = offsets[term + 1]!;
  for (let posting = offsets[term]!; posting < end; posting++)
    scores[documents[posting]!]! += weight * counts[posting]!;
}

function exclusion(except: Exclusion, parts: IndexParts, ownerNumbers: ReadonlyMap<string, number>) {
  const owner = except.owner === undefined ? undefined : ownerNumbers.get(except.owner);
  const contents = except.contents ?? [];
  const keys = new Uint32Array(2 * contents.length);
  for (const [i, content] of contents.entries()) writeContentKey(content, keys, 2 * i);
  const isTwin = (document: number): boolean => {
    const [a, b] = [parts.contentKeys[2 * document], parts.contentKeys[2 * document + 1]];
    for (let i = 0; i < keys.length; i += 2) if (keys[i] === a && keys[i + 1] === b) return true;
    return false;
  };
  return (document: number): boolean =>
    parts.owners[document] === owner || isTwin(document) || except.skip?.(document) === true;
}
