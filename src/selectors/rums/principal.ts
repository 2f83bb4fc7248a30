import { seeded } from "../../random/seeded.js";
import { dot } from "../../retrievers/dense.js";

/** The directions in which vectors vary most: `(vector - mean) . component` is a score each. */
export interface Projection {
  readonly mean: readonly number[];
  /** Orthonormal vectors, the largest variance first; the largest number of each is positive. */
  readonly components: readonly (readonly number[])[];
}

/**
 * Principal components of vectors of one length, at most `count`, fewer where they vary in fewer directions. By subspace iteration
 * on their covariance; of more than 10,000 vectors evenly spaced ones speak for all. Deterministic.
 */
export function principalComponents(vectors: readonly ArrayLike<number>[], count: number): Projection {
  const step = Math.ceil(vectors.length / MOST_VECTORS);
  const taken = vectors.filter((_, at) => at % step === 0);
  const mean = meanOf(taken);
  const covariance = covarianceOf(taken, mean);
  const most = Math.min(count, mean.length, taken.length);
  const random = seeded("principal components");
  let held = orthonormal(
    Array.from({ length: most }, () => Float64Array.from(mean, () => random.next() - 0.5)),
    0,
  );
  for (let round = 0; round < ROUNDS; round++) {
    const next = held.map((direction) => times(covariance, direction));
    held = orthonormal(next, MIN_RELATIVE_VARIANCE * (covariance.largest || 1));
  }
  return { mean, components: held.map((direction) => [...positive(direction)]) };
}

/** Returns the scores of a vector, one a component. */
export function projected(vector: ArrayLike<number>, { mean, components }: Projection): number[] {
  return components.map((component) => component.reduce((sum, value, i) => sum + value * (vector[i]! - mean[i]!), 0));
}

const MOST_VECTORS = 10_000;
const ROUNDS = 60;
/** Below this share of the largest variance a direction is rounding. */
const MIN_RELATIVE_VARIANCE = 1e-9;

interface Covariance {
  readonly rows: readonly Float64Array[];
  /** Largest variance of a coordinate. */
  readonly largest: number;
}

function meanOf(vectors: readonly ArrayLike<number>[]): number[] {
  const sums = new Array<number>(vectors[0]?.length ?? 0).fill(0);
  for (const vector of vectors) for (let i = 0; i < sums.length; i++) sums[i]! += vector[i]!;
  return sums.map((sum) => sum / vectors.length);
}

function covarianceOf(vectors: readonly ArrayLike<number>[], mean: readonly number[]): Covariance {
  const width = mean.length;
  const rows = mean.map(() => new Float64Array(width));
  const centered = new Float64Array(width);
  for (const vector of vectors) {
    for (let i = 0; i < width; i++) centered[i] = vector[i]! - mean[i]!;
    for (let i = 0; i < width; i++) {
      const value = centered[i]! / vectors.length;
      const row = rows[i]!;
      if (value !== 0) for (let j = 0; j <= i; j++) row[j]! += value * centered[j]!;
    }
  }
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) rows[j]![i] = rows[i]![j]!;
  return { rows, largest: Math.max(0, ...rows.map((row, i) => row[i]!)) };
}

const times = ({ rows }: Covariance, direction: Float64Array): Float64Array =>
  Float64Array.from(rows, (row) => dot(row, direction));

/** Gram and Schmidt, in order. A direction of whose length no more than `least` is left is dropped. */
function orthonormal(directions: readonly Float64Array[], least: number): Float64Array[] {
  const held: Float64Array[] = [];
  for (const direction of directions) {
    const left = direction.slice();
    for (const other of held) {
      const along = dot(left, other);
      for (let i = 0; i < left.length; i++) left[i]! -= along * other[i]!;
    }
    const length = Math.sqrt(dot(left, left));
    if (length > least) held.push(left.map((value) => value / length));
  }
  return held;
}

function positive(direction: Float64Array): Float64Array {
  const largest = direction.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
  return largest < 0 ? direction.map((value) => -value) : direction;
}
