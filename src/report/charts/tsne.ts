import type { Random } from "../../types/index.js";

interface TsneSettings {
  readonly perplexity: number;
  /** Draws the start. */
  readonly random: Random;
}

interface TsneMap {
  readonly points: readonly (readonly [number, number])[];
  /** Kullback-Leibler divergence of the map from the distances: the smaller, the better kept. */
  readonly divergence: number;
}

/**
 * Exact t-SNE in the plane: equal points and equal draws give equal maps. Constants are scikit-learn 1.2's: early exaggeration 12
 * for 250 of 1,000 steps, momentum .5 then .8, rate max(n / 48, 50). Source: van der Maaten and Hinton, JMLR 9, 2008.
 */
export function tsne(points: readonly ArrayLike<number>[], { perplexity, random }: TsneSettings): TsneMap {
  const wanted = joint(points, perplexity);
  const start = Float64Array.from({ length: 2 * points.length }, () => START * (random.next() - 0.5));
  const early = descend(start, wanted, { steps: EARLY_STEPS, exaggeration: EXAGGERATION, momentum: 0.5 });
  const { map, divergence } = descend(early.last, wanted, {
    steps: STEPS - EARLY_STEPS,
    exaggeration: 1,
    momentum: 0.8,
  });
  return { points: points.map((_, i) => [map[2 * i]!, map[2 * i + 1]!] as const), divergence };
}

const [STEPS, EARLY_STEPS, EXAGGERATION, START] = [1000, 250, 12, 1e-4];
const TINY = Number.EPSILON;

interface Descent {
  readonly steps: number;
  readonly exaggeration: number;
  readonly momentum: number;
}

/** Moves a map downhill. Returns where it ends, and the best one on the way: few points swing at this rate and end anywhere. */
function descend(start: Float64Array, wanted: Float64Array, { steps, exaggeration, momentum }: Descent) {
  const rate = Math.max(start.length / 2 / EXAGGERATION / 4, 50);
  const last = start.slice();
  const [velocity, gains] = [new Float64Array(last.length), new Float64Array(last.length).fill(1)];
  let best = { map: start, divergence: Number.POSITIVE_INFINITY };
  for (let step = 0; step <= steps; step++) {
    const { slope, divergence } = gradient(last, wanted, exaggeration);
    if (divergence < best.divergence) best = { map: last.slice(), divergence };
    for (let i = 0; i < last.length; i++) {
      gains[i] = Math.max(0.01, velocity[i]! * slope[i]! < 0 ? gains[i]! + 0.2 : gains[i]! * 0.8);
      velocity[i] = momentum * velocity[i]! - rate * gains[i]! * slope[i]!;
      last[i]! += velocity[i]!;
    }
  }
  return { ...best, last };
}

/** How near each pair is, as one distribution over all pairs, row by row. */
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
function neighbours(squares: readonly number[], self: number, perplexity: number): Float64Array {
  let [beta, low, high] = [1, 0, Number.POSITIVE_INFINITY];
  let weights = new Float64Array();
  for (let step = 0; step < 100; step++) {
    const raw = squares.map((square, j) => (j === self ? 0 : Math.exp(-square * beta)));
    const sum = Math.max(
      TINY,
      raw.reduce((total, weight) => total + weight, 0),
    );
    weights = Float64Array.from(raw, (weight) => weight / sum);
    const spread = weights.reduce((total, weight, j) => total + weight * squares[j]!, 0);
    const excess = Math.log(sum) + beta * spread - Math.log(perplexity); // of the entropy
    if (Math.abs(excess) < 1e-5) break;
    if (excess > 0) low = beta;
    else high = beta;
    beta = high === Number.POSITIVE_INFINITY ? beta * 2 : (low + high) / 2;
  }
  return weights;
}

function gradient(map: Float64Array, wanted: Float64Array, exaggeration: number) {
  const n = map.length / 2;
  const slope = new Float64Array(2 * n);
  const kernel = new Float64Array(n * n);
  const pairs = (visit: (i: number, j: number, dx: number, dy: number) => void): void => {
    for (let i = 0; i < n; i++)
      for (let j = 0; j < i; j++) visit(i, j, map[2 * i]! - map[2 * j]!, map[2 * i + 1]! - map[2 * j + 1]!);
  };
  let [sum, divergence] = [0, 0];
  pairs((i, j, dx, dy) => {
    const near = 1 / (1 + dx * dx + dy * dy);
    kernel[i * n + j] = near;
    sum += 2 * near;
  });
  pairs((i, j, dx, dy) => {
    const near = kernel[i * n + j]!;
    const p = wanted[i * n + j]! * exaggeration;
    const q = Math.max(TINY, near / sum);
    divergence += 2 * p * Math.log(p / q);
    const pull = 4 * (p - q) * near;
    slope[2 * i]! += pull * dx;
    slope[2 * i + 1]! += pull * dy;
    slope[2 * j]! -= pull * dx;
    slope[2 * j + 1]! -= pull * dy;
  });
  return { slope, divergence };
}
