import { type Postings, TermTable } from "./term-table.js";

/** What a term adds to the documents that hold it. */
export interface Scheme {
  /**
   * Looks at the documents that there are; the function weighs one term in the documents of its postings. Asked again when
   * documents were added, since these change the weights of all others.
   */
  weigh(table: TermTable): (term: number, postings: Postings) => Float64Array;
}

/** Scores of documents for tokens. Documents can be added; scores are those of an index built over all of them. */
interface SparseIndex {
  /** Adds the next document by its tokens. */
  add(tokens: readonly string[]): void;
  /** The score of every document, each token's weights added in turn: a repeated token counts repeatedly. */
  scores(tokens: readonly string[]): Float64Array;
}

/** Builds the index of documents cut into tokens. Terms are weighed when they are first asked for. */
export function sparseIndex(documents: Iterable<readonly string[]>, scheme: Scheme): SparseIndex {
  const table = new TermTable(documents);
  let weigh: ReturnType<Scheme["weigh"]> | undefined; // of the documents that there are
  const kept = new Map<number, Weighted>();
  const weighted = (term: number): Weighted => {
    let found = kept.get(term);
    if (found === undefined) {
      weigh ??= scheme.weigh(table);
      const postings = table.postings(term);
      found = { documents: postings.documents, weights: weigh(term, postings) };
      kept.set(term, found);
    }
    return found;
  };
  return {
    add(tokens) {
      table.add(tokens);
      weigh = undefined;
      kept.clear();
    },
    scores(tokens) {
      const scores = new Float64Array(table.size);
      for (const token of tokens) {
        const term = table.terms.get(token);
        if (term === undefined) continue;
        const { documents, weights } = weighted(term);
        for (let i = 0; i < documents.length; i++) scores[documents[i]!]! += weights[i]!;
      }
      return scores;
    },
  };
}

/** A term's weights, by document. */
interface Weighted {
  readonly documents: Int32Array;
  readonly weights: Float64Array;
}
