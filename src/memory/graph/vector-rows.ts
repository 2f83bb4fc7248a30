import { BestFew } from "../../retrievers/best-few.js";
import type { Hit } from "../../types.js";

/** Vectors of one length, end to end, in an array that grows. */
export class VectorRows {
  private values = new Float32Array(0);
  private size = 0;
  private dimensions = 0;

  constructor(vectors: readonly Float32Array[] = []) {
    this.values = new Float32Array(vectors.length * (vectors[0]?.length ?? 0));
    for (const vector of vectors) this.push(vector);
  }

  push(vector: Float32Array): void {
    this.dimensions = vector.length;
    const start = this.size * this.dimensions;
    if (start + vector.length > this.values.length) {
      const wider = new Float32Array(Math.max(16, 2 * this.size) * this.dimensions);
      wider.set(this.values);
      this.values = wider;
    }
    this.values.set(vector, start);
    this.size++;
  }

  /** The `k` rows with the largest dot product above `above`, best first, equal ones in order; none that is `excluded`. */
  nearest(asked: Float32Array, k: number, above: number, excluded: (row: number) => boolean): Hit[] {
    const { values, dimensions } = this;
    const best = new BestFew(k, above);
    for (let row = 0; row < this.size; row++) {
      let product = 0;
      for (let i = 0, at = row * dimensions; i < dimensions; i++, at++) product += asked[i]! * values[at]!;
      if (product > best.threshold && !excluded(row)) best.add(row, product);
    }
    return best.hits();
  }
}
