/** How often each term stands in each document, document by document. */
export interface TermCounts {
  /** Number of documents. */
  readonly size: number;
  /** Term to its number, in order of first occurrence. */
  readonly terms: ReadonlyMap<string, number>;
  /** Tokens per document. */
  readonly lengths: Int32Array;
  /** Documents that hold the term, by term number. */
  readonly documentFrequency: Int32Array;
  /** Entries of document d are those from starts[d] up to starts[d + 1]; its terms in order of first occurrence. */
  readonly starts: Int32Array;
  readonly entryTerm: Int32Array;
  readonly entryCount: Int32Array;
}

/** Counts the terms of documents that are cut into tokens one at a time. */
export function countTerms(documents: Iterable<readonly string[]>): TermCounts {
  const terms = new Map<string, number>();
  const lengths: number[] = [];
  const starts: number[] = [0];
  const entryTerm: number[] = [];
  const entryCount: number[] = [];
  const documentFrequency: number[] = [];
  const lastEntry: number[] = []; // by term: its latest entry

  for (const tokens of documents) {
    const start = entryTerm.length;
    for (const token of tokens) {
      let term = terms.get(token);
      if (term === undefined) {
        term = terms.size;
        terms.set(token, term);
        documentFrequency.push(0);
        lastEntry.push(-1);
      }
      const entry = lastEntry[term]!;
      if (entry >= start) entryCount[entry]!++;
      else {
        lastEntry[term] = entryTerm.length;
        documentFrequency[term]!++;
        entryTerm.push(term);
        entryCount.push(1);
      }
    }
    lengths.push(tokens.length);
    starts.push(entryTerm.length);
  }
  return {
    size: lengths.length,
    terms,
    lengths: Int32Array.from(lengths),
    documentFrequency: Int32Array.from(documentFrequency),
    starts: Int32Array.from(starts),
    entryTerm: Int32Array.from(entryTerm),
    entryCount: Int32Array.from(entryCount),
  };
}
