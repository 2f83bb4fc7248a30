import type { Hit } from "../types.js";

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
