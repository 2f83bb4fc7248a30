import type { Random } from "../../../src/types/index.js";

/** Users whose answers are alike: what simulations of intervals and gates draw from. */
export interface Population {
  readonly users: number;
  /** Questions per user, both ends included. */
  readonly questions: readonly [low: number, high: number];
  /** Mean chance of a right answer. */
  readonly chance: number;
  /** Correlation of two answers of one user, 0..1: users' own chances are Beta distributed around the mean. */
  readonly likeness: number;
  /** Golds: five ratings, or so many labels, the n-th in 1 / n of the first one's number (Zipf). */
  readonly labels?: number;
}

export interface SimulatedUser {
  /** This user's own chance of a right answer. */
  readonly chance: number;
  readonly questions: number;
}

export function simulateUsers(population: Population, random: Random): SimulatedUser[] {
  const [low, high] = population.questions;
  return Array.from({ length: population.users }, () => ({
    chance: beta(population.chance, population.likeness, random),
    questions: low + random.below(high - low + 1),
  }));
}

/** Beta with this mean and intra-class correlation 1 / (1 + a + b). */
function beta(mean: number, likeness: number, random: Random): number {
  if (likeness === 0) return mean;
  const size = (1 - likeness) / likeness;
  const hits = gamma(mean * size, random);
  return hits / (hits + gamma((1 - mean) * size, random));
}

/** Source: Marsaglia and Tsang, ACM Trans. Math. Software 26(3), 2000. */
function gamma(shape: number, random: Random): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random.next()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
