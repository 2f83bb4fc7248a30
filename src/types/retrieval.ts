/** A seeded stream. Same label and seed, same numbers, in any order of users. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** A sample without replacement, in drawn order. */
  sample<T>(items: readonly T[], count: number): T[];
  /** An independent stream that depends only on this stream's seed and the label. */
  fork(label: string): Random;
}

export interface Hit {
  /** Index into the indexed documents. */
  readonly index: number;
  readonly score: number;
}

export interface Search {
  /** The best `k`, best first; fewer only where there are fewer documents. */
  (query: string, k: number): Promise<readonly Hit[]>;
  /**
   * Adds a document behind the others (prequential mode). Hits are then, to the last bit, those of an index built over all
   * documents with this kit; nothing has changed where it throws. Absent: whoever adds builds the index again.
   */
  add?(document: RetrieverDocument, kit: RetrieverKit): Promise<void>;
}

export interface RetrieverDocument {
  readonly text: string;
  readonly date?: string;
}

export interface RetrieverKit {
  /** Cuts documents and queries into tokens (lexical retrievers). */
  readonly tokenize: (text: string) => string[];
  readonly embedder: Embedder;
  readonly random: Random;
}

export interface Retriever {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** True where it asks the run's embedder. */
  readonly embeds?: true;
  /** True where its order says nothing of the query: its scores measure no likeness. */
  readonly ignoresQuery?: true;
  index(documents: readonly RetrieverDocument[], kit: RetrieverKit): Promise<Search>;
}

export interface Embedder {
  /** `embedded/lsa-1`, `onnx/all-MiniLM-L6-v2`, ... Part of cache keys. */
  readonly id: string;
  /** Length of every vector; 0 while a remote embedder has not told it. */
  readonly dimensions: number;
  /** One vector per text, in order; scaled to length 1 unless the run asks for `embedder.similarity=dot`. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}
