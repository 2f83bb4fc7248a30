import type { Hit } from "../types/index.js";

/** The documents that hold a term, ascending, and how often it stands in each. */
export interface Postings {
  readonly documents: Int32Array;
  readonly counts: Int32Array;
}

/**
 * How often each term stands in each document. Documents are added one at a time, each at the cost of its own tokens, and
 * whatever is read from the table is the same whether they came at once or one after another.
 */
export class TermTable {
  private readonly numbers = new Map<string, number>();
  private readonly frequencies = new IntList(); // by term
  private readonly latest = new IntList(); // by term: its latest entry
  private readonly starts = new IntList(); // by document, and the end of the last one
  private readonly lengths = new IntList(); // by document
  private readonly entryTerms = new IntList();
  private readonly entryCounts = new IntList();
  private readonly entryDocuments = new IntList();
  private readonly before = new IntList(); // by entry: the entry of its term in an earlier document, or -1
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
      const entry = this.latest.at(term);
      if (entry >= 0 && this.entryDocuments.at(entry) === document) this.entryCounts.increase(entry);
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
    return this.frequencies.at(term);
  }

  /** Tokens of a document. */
  lengthOf(document: number): number {
    return this.lengths.at(document);
  }

  postings(term: number): Postings {
    const size = this.frequencies.at(term);
    const documents = new Int32Array(size);
    const counts = new Int32Array(size);
    for (let entry = this.latest.at(term), place = size - 1; place >= 0; place--, entry = this.before.at(entry)) {
      documents[place] = this.entryDocuments.at(entry);
      counts[place] = this.entryCounts.at(entry);
    }
    return { documents, counts };
  }

  /** Visits the terms of a document, in order of first occurrence in it. */
  visit(document: number, each: (term: number, count: number) => void): void {
    const end = this.starts.at(document + 1);
    for (let entry = this.starts.at(document); entry < end; entry++)
      each(this.entryTerms.at(entry), this.entryCounts.at(entry));
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
    this.latest.set(term, this.entryTerms.length);
    this.frequencies.increase(term);
    this.entryTerms.push(term);
    this.entryCounts.push(1);
    this.entryDocuments.push(document);
    this.before.push(before);
  }
}

/** Whole numbers of 32 bits in an array that grows. */
class IntList {
  private values = new Int32Array(16);
  private used = 0;

  get length(): number {
    return this.used;
  }

  push(value: number): void {
    if (this.used === this.values.length) {
      const wider = new Int32Array(2 * this.used);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.used++] = value;
  }

  /** The value at a place below `length`. */
  at(place: number): number {
    return this.values[place]!;
  }

  /** Replaces the value at a place below `length`. */
  set(place: number, value: number): void {
    this.values[place] = value;
  }

  /** Adds one to the value at a place below `length`. */
  increase(place: number): void {
    this.values[place]!++;
  }
}

/** Keeps the best `k` of the documents offered; equal scores stay in the order in which they were offered. */
export class BestFew {
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
