import type { Hit } from "../types/index.js";

/** The documents that hold a term, ascending, and how often it stands in each. */
export interface Postings {
  readonly documents: Int32Array;
  readonly counts: Int32Array;
}

/**
 * The count of each term in each document. Documents are added one at a time, each at the cost of its own tokens, and
 * whatever is read from the table is the same whether they came at once or one after another.
 */
export class TermTable {
  private readonly numbers = new Map<string, number>();
  private readonly frequencies: number[] = []; // by term
  private readonly latest: number[] = []; // by term: its latest entry
  private readonly starts: number[] = []; // by document, and the end of the last one
  private readonly lengths: number[] = []; // by document
  private readonly entryTerms: number[] = [];
  private readonly entryCounts: number[] = [];
  private readonly entryDocuments: number[] = [];
  private readonly before: number[] = []; // by entry: the entry of its term in an earlier document, or -1
  private sum = 0;

  constructor(documents: Iterable<readonly string[]> = []) {
    this.starts.push(0);
    for (const tokens of documents) this.add(tokens);
  }

  /** Adds the next document by its tokens. */
  add(tokens: readonly string[]): void {
    const document = this.size;
    for (const token of tokens) {
      const term = this.numberOf(token);
      const entry = this.latest[term]!;
      if (entry >= 0 && this.entryDocuments[entry]! === document) this.entryCounts[entry]!++;
      else this.enter(term, document, entry);
    }
    this.lengths.push(tokens.length);
    this.starts.push(this.entryTerms.length);
    this.sum += tokens.length;
  }

  /** Number of documents. */
  get size(): number {
    return this.lengths.length;
  }

  /** Tokens in all documents. */
  get tokens(): number {
    return this.sum;
  }

  /** Term to its number, in order of first occurrence. */
  get terms(): ReadonlyMap<string, number> {
    return this.numbers;
  }

  /** Documents that hold the term. */
  frequency(term: number): number {
    return this.frequencies[term]!;
  }

  /** Tokens of a document. */
  lengthOf(document: number): number {
    return this.lengths[document]!;
  }

  postings(term: number): Postings {
    const size = this.frequencies[term]!;
    const documents = new Int32Array(size);
    const counts = new Int32Array(size);
    for (let entry = this.latest[term]!, place = size - 1; place >= 0; place--, entry = this.before[entry]!) {
      documents[place] = this.entryDocuments[entry]!;
      counts[place] = this.entryCounts[entry]!;
    }
    return { documents, counts };
  }

  /** Visits the terms of a document, in order of first occurrence in it. */
  visit(document: number, each: (term: number, count: number) => void): void {
    const end = this.starts[document + 1]!;
    for (let entry = this.starts[document]!; entry < end; entry++)
      each(this.entryTerms[entry]!, this.entryCounts[entry]!);
  }

  private numberOf(token: string): number {
    const known = this.numbers.get(token);
    if (known !== undefined) return known;
    const term = this.numbers.size;
    this.numbers.set(token, term);
    this.frequencies.push(0);
    this.latest.push(-1);
    return term;
  }

  private enter(term: number, document: number, before: number): void {
    this.latest[term] = this.entryTerms.length;
    this.frequencies[term]!++;
    this.entryTerms.push(term);
    this.entryCounts.push(1);
    this.entryDocuments.push(document);
    this.before.push(before);
  }
}

/** Keeps the best `k` of the documents offered; equal scores stay in the order in which they were offered. */
export class TopK {
  /** A document must score above this to enter. */
  threshold: number;
  private readonly indexes: Uint32Array;
  private readonly scores: Float64Array;
  private found = 0;

  /** Documents that score `minimum` or less never enter. */
  constructor(k: number, minimum: number) {
    this.indexes = new Uint32Array(k);
    this.scores = new Float64Array(k);
    this.threshold = k === 0 ? Number.POSITIVE_INFINITY : minimum;
  }

  /** Adds a document whose score is above the threshold; the worst one leaves when there are more than `k`. */
  add(index: number, score: number): void {
    const { indexes, scores } = this;
    let slot = this.found < scores.length ? this.found++ : scores.length - 1;
    for (; slot > 0 && scores[slot - 1]! < score; slot--) {
      scores[slot] = scores[slot - 1]!;
      indexes[slot] = indexes[slot - 1]!;
    }
    scores[slot] = score;
    indexes[slot] = index;
    if (this.found === scores.length) this.threshold = scores[scores.length - 1]!;
  }

  /** Best first. */
  hits(): Hit[] {
    return Array.from(this.scores.subarray(0, this.found), (score, i) => ({ index: this.indexes[i]!, score }));
  }
}

/**
 * Returns, for a table, a function from a term and its postings to its weight in each document.
 * Called again after each addition, which changes the weights of all documents.
 */
export type WeightingScheme = (table: TermTable) => (term: number, postings: Postings) => Float64Array;

/** Scores of documents for tokens. Documents can be added; scores are those of an index built over all of them. */
interface SparseIndex {
  /** Adds the next document by its tokens. */
  add(tokens: readonly string[]): void;
  /** The score of every document, each token's weights added in turn: a repeated token counts repeatedly. */
  scores(tokens: readonly string[]): Float64Array;
}

/** Builds the index of documents cut into tokens. Terms are weighed when they are first asked for. */
export function sparseIndex(documents: Iterable<readonly string[]>, scheme: WeightingScheme): SparseIndex {
  const table = new TermTable(documents);
  let weigh: ReturnType<WeightingScheme> | undefined; // of the documents that there are
  const kept = new Map<number, Weighted>();
  const weighted = (term: number): Weighted => {
    let found = kept.get(term);
    if (found === undefined) {
      weigh ??= scheme(table);
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
