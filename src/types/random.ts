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
