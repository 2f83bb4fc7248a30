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
  readonly table: TermTable;
  /** Adds the next document by its tokens. */
  add(tokens: readonly string[]): void;
  /** Adds `factor` times the term's weights to the documents' scores. */
  addTerm(term: number, scores: Float64Array, factor: number): void;
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
      found = { documents: postings.documents, weights: weigh(term, postings), asked: 0, row: undefined };
      kept.set(term, found);
    }
    return found;
  };
  return {
    table,
    add(tokens) {
      table.add(tokens);
      weigh = undefined;
      kept.clear();
    },
    addTerm: (term, scores, factor) => addPostings(weighted(term), scores, factor),
    scores(tokens) {
      const scores = new Float64Array(table.size);
      const waiting: Float64Array[] = [];
      for (const token of tokens) {
        const term = table.terms.get(token);
        if (term === undefined) continue;
        const found = weighted(term);
        const row = rowOf(found, table.size);
        if (row !== undefined) waiting.push(row);
        if (row === undefined || waiting.length === 4) addRows(scores, waiting);
        if (row === undefined) addPostings(found, scores, 1);
      }
      addRows(scores, waiting);
      return scores;
    },
  };
}

/** A term's weights, by document. */
interface Weighted {
  readonly documents: Int32Array;
  readonly weights: Float64Array;
  /** How often it was asked for. */
  asked: number;
  /** The same weights with a place for every document. */
  row: Float64Array | undefined;
}

/** A term in at least one of so many documents is also kept as a full row: rows add up faster than postings. */
const ROW_SHARE = 4;

/** The row of a term that is worth one: held by many documents, and asked for before. */
function rowOf(term: Weighted, size: number): Float64Array | undefined {
  if (term.row !== undefined || term.documents.length < size / ROW_SHARE || term.asked++ === 0) return term.row;
  term.row = new Float64Array(size);
  addPostings(term, term.row, 1);
  return term.row;
}

function addPostings({ documents, weights }: Weighted, scores: Float64Array, factor: number): void {
  for (let i = 0; i < documents.length; i++) scores[documents[i]!]! += factor * weights[i]!;
}

/**
 * Adds up to four rows and empties the list. Four at once save reads and writes; each document's sum is still taken
 * in the rows' order.
 */
function addRows(scores: Float64Array, rows: Float64Array[]): void {
  const [a, b, c, d] = [rows[0], rows[1], rows[2], rows[3]];
  if (a !== undefined && b !== undefined && c !== undefined && d !== undefined)
    for (let i = 0; i < scores.length; i++) scores[i] = scores[i]! + a[i]! + b[i]! + c[i]! + d[i]!;
  else for (const row of rows) for (let i = 0; i < scores.length; i++) scores[i]! += row[i]!;
  rows.length = 0;
}
