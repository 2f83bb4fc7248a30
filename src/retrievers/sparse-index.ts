import { countTerms, type TermCounts } from "./term-counts.js";

/** What an entry (one term in one document) adds to a document's score, worked out once at index time. */
export interface Scheme {
  /** One weight per entry of `counts`. */
  weigh(counts: TermCounts): Float64Array;
}

/** An inverted index in typed arrays: per term the documents that hold it and the weight there. */
export interface SparseIndex {
  /** Number of documents. */
  readonly size: number;
  /** The term's number, or undefined for a term that no document holds. */
  term(token: string): number | undefined;
  /** Adds `factor` times the term's weights to the documents' scores. */
  add(term: number, scores: Float64Array, factor: number): void;
  /** The score of every document, each token's weights added in turn: a repeated token counts repeatedly. */
  scores(tokens: readonly string[]): Float64Array;
}

/** Builds the index of documents cut into tokens. */
export function sparseIndex(documents: Iterable<readonly string[]>, scheme: Scheme): SparseIndex {
  const counts = countTerms(documents);
  return invert(counts, scheme.weigh(counts));
}

/** Turns document-wise entries and their weights into a term-wise index. */
export function invert(counts: TermCounts, weights: Float64Array): SparseIndex {
  const { size, terms } = counts;
  const { offsets, documents, weights: postingWeights } = postings(counts, weights);
  const addPostings = (term: number, scores: Float64Array, factor: number): void => {
    const end = offsets[term + 1]!;
    for (let posting = offsets[term]!; posting < end; posting++)
      scores[documents[posting]!]! += factor * postingWeights[posting]!;
  };
  const rows = Array.from(counts.documentFrequency, (frequency, term) => {
    if (frequency < size / ROW_SHARE) return undefined;
    const row = new Float64Array(size);
    addPostings(term, row, 1);
    return row;
  });

  return {
    size,
    term: (token) => terms.get(token),
    add: addPostings,
    scores(tokens) {
      const scores = new Float64Array(size);
      const waiting: Float64Array[] = [];
      for (const token of tokens) {
        const term = terms.get(token);
        if (term === undefined) continue;
        const row = rows[term];
        if (row !== undefined) waiting.push(row);
        if (row === undefined || waiting.length === 4) addRows(scores, waiting);
        if (row === undefined) addPostings(term, scores, 1);
      }
      addRows(scores, waiting);
      return scores;
    },
  };
}

// --- internal ---

/** A term in at least one of so many documents is also kept as a full row: rows add up faster than postings. */
const ROW_SHARE = 4;

/** The postings of term t are those from offsets[t] up to offsets[t + 1], documents ascending. */
function postings({ size, terms, documentFrequency, starts, entryTerm }: TermCounts, entryWeights: Float64Array) {
  const offsets = new Int32Array(terms.size + 1);
  for (let term = 0; term < terms.size; term++) offsets[term + 1] = offsets[term]! + documentFrequency[term]!;
  const next = offsets.slice();
  const documents = new Int32Array(entryTerm.length);
  const weights = new Float64Array(entryTerm.length);
  for (let document = 0; document < size; document++)
    for (let entry = starts[document]!; entry < starts[document + 1]!; entry++) {
      const posting = next[entryTerm[entry]!]!++;
      documents[posting] = document;
      weights[posting] = entryWeights[entry]!;
    }
  return { offsets, documents, weights };
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
