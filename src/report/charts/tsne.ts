import type { Random } from "../../types/index.js";

interface TsneSettings {
  readonly perplexity: number;
  readonly random: Random;
}

interface TsneMap {
  readonly points: readonly (readonly [number, number])[];
  /** Kullback-Leibler divergence of the map from the distances: the smaller, the better kept. */
  readonly divergence: number;
}

const [STEPS, EARLY_STEPS, EXAGGERATION, START] = [1000, 250, 12, 1e-4];
const TINY = Number.EPSILON;

/**
 * Exact t-SNE in the plane: equal points and equal draws give equal maps. Constants are scikit-learn 1.2's: early exaggeration 12
 * for 250 of 1,000 steps, momentum .5 then .8, rate max(n / 48, 50). Source: van der Maaten and Hinton, JMLR 9, 2008.
 */
export function tsne(points: readonly ArrayLike<number>[], { perplexity, random }: TsneSettings): TsneMap {
  const wanted = joint(points, perplexity);
  const rate = Math.max(points.length / EXAGGERATION / 4, 50);
  const map = Float64Array.from({ length: 2 * points.length }, () => START * (random.next() - 0.5));
  const [velocity, gains] = [new Float64Array(map.length), new Float64Array(map.length).fill(1)];
  let best = { map, divergence: Number.POSITIVE_INFINITY }; // few points swing at this rate and end anywhere
  for (let step = 0; step <= STEPS; step++) {
    if (step === EARLY_STEPS) {
      velocity.fill(0);
      gains.fill(1);
    }
    const [exaggeration, momentum] = step < EARLY_STEPS ? [EXAGGERATION, 0.5] : [1, 0.8];
    const { slope, divergence } = gradient(map, wanted, exaggeration);
    if (step >= EARLY_STEPS && divergence < best.divergence) best = { map: map.slice(), divergence };
    for (let i = 0; i < map.length; i++) {
      gains[i] = Math.max(0.01, velocity[i]! * slope[i]! < 0 ? gains[i]! + 0.2 : gains[i]! * 0.8);
      velocity[i] = momentum * velocity[i]! - rate * gains[i]! * slope[i]!;
      map[i]! += velocity[i]!;
    }
  }
  return {
    points: points.map((_, i) => [best.map[2 * i]!, best.map[2 * i + 1]!] as const),
    divergence: best.divergence,
  };
}

/** Returns the nearness of each pair, as one distribution over all pairs, row by row. */
function joint(points: readonly ArrayLike<number>[], perplexity: number): Float64Array {
  const n = points.length;
  const near = points.map((point, i) =>
    neighbours(
      points.map((other) => squaredDistance(point, other)),
      i,
      perplexity,
    ),
  );
  return Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return i === j ? 0 : Math.max(TINY, (near[i]![j]! + near[j]![i]!) / (2 * n));
  });
}

function squaredDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return sum;
}

/** A normal distribution around one point, as wide as the perplexity asks: bisection of its precision. */
function neighbours(squares: readonly number[], self: number, perplexity: number): number[] {
  let [beta, low, high] = [1, 0, Number.POSITIVE_INFINITY];
  let weights: number[] = [];
  for (let step = 0; step < 100; step++) {
    const raw = squares.map((square, j) => (j === self ? 0 : Math.exp(-square * beta)));
    const sum = Math.max(TINY, sumOf(raw));
    weights = raw.map((weight) => weight / sum);
    const spread = sumOf(weights.map((weight, j) => weight * squares[j]!));
    const excess = Math.log(sum) + beta * spread - Math.log(perplexity); // of the entropy
    if (Math.abs(excess) < 1e-5) break;
    if (excess > 0) low = beta;
    else high = beta;
    beta = high === Number.POSITIVE_INFINITY ? beta * 2 : (low + high) / 2;
  }
  return weights;
}

const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Kernels of all pairs first, since each pull needs their sum. */
function gradient(map: Float64Array, wanted: Float64Array, exaggeration: number) {
  const n = map.length / 2;
  const [slope, kernel] = [new Float64Array(2 * n), new Float64Array(n * n)];
  let [sum, divergence] = [0, 0];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const square = (map[2 * i]! - map[2 * j]!) ** 2 + (map[2 * i + 1]! - map[2 * j + 1]!) ** 2;
      kernel[i * n + j] = i === j ? 0 : 1 / (1 + square);
      sum += kernel[i * n + j]!;
    }
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      if (i === j) continue;
      const near = kernel[i * n + j]!;
      const p = wanted[i * n + j]! * exaggeration;
      const q = Math.max(TINY, near / sum);
      divergence += p * Math.log(p / q);
      for (const d of [0, 1]) slope[2 * i + d]! += 4 * (p - q) * near * (map[2 * i + d]! - map[2 * j + d]!);
    }
  return { slope, divergence };
}
