const MOST = 0xffff;

/** How often each term stands in each document, document by document, in typed arrays that grow. */
export class TermRows {
  private readonly ends: number[] = [0];
  private readonly lastEntry: number[] = []; // by term
  private entryTerms = new Uint32Array(1024);
  private entryCounts = new Uint16Array(1024);
  private used = 0;

  /** Adds the next document by the numbers of its terms; undefined stands for a term to pass over. */
  add(terms: Iterable<number | undefined>): void {
    const start = this.used;
    for (const term of terms) {
      if (term === undefined) continue;
      const entry = this.lastEntry[term] ?? -1;
      if (entry < start) this.append(term);
      else if (this.entryCounts[entry]! < MOST) this.entryCounts[entry]!++;
    }
    this.ends.push(this.used);
  }

  /** Number of documents. */
  get size(): number {
    return this.ends.length - 1;
  }

  /** Entries of document d are those from starts[d] up to starts[d + 1]. */
  get starts(): readonly number[] {
    return this.ends;
  }

  get terms(): Uint32Array {
    return this.entryTerms.subarray(0, this.used);
  }

  get counts(): Uint16Array {
    return this.entryCounts.subarray(0, this.used);
  }

  private append(term: number): void {
    if (this.used === this.entryTerms.length) this.grow();
    while (this.lastEntry.length <= term) this.lastEntry.push(-1);
    this.lastEntry[term] = this.used;
    this.entryTerms[this.used] = term;
    this.entryCounts[this.used++] = 1;
  }

  private grow(): void {
    const terms = new Uint32Array(2 * this.used);
    const counts = new Uint16Array(2 * this.used);
    terms.set(this.entryTerms);
    counts.set(this.entryCounts);
    this.entryTerms = terms;
    this.entryCounts = counts;
  }
}
