import { seeded } from "../../random/seeded.js";
import type { Random } from "../../types/index.js";
import { principalComponents } from "./principal-components.js";

interface TsneSettings {
  readonly perplexity: number;
  /** Used only where the points have no variance to start from. */
  readonly random: Random;
  /** Default 1000. */
  readonly iterations?: number;
}

export interface TsneMap {
  readonly points: readonly (readonly [number, number])[];
  /** Kullback-Leibler divergence of the map from the distances: the smaller, the better kept. */
  readonly divergence: number;
}

/**
 * Exact t-SNE in the plane, started from the principal components: no chance in it, so equal points give equal maps.
 * Constants are scikit-learn 1.2's (early exaggeration 12 for 250 steps, momentum .5 then .8, rate max(n / 48, 50)).
 * Source: van der Maaten and Hinton, JMLR 9, 2008; start: Kobak and Berens, Nature Communications 10:5416, 2019.
 */
export function tsne(points: readonly ArrayLike<number>[], settings: TsneSettings): TsneMap {
  const wanted = joint(points, settings.perplexity);
  const rate = Math.max(points.length / EXAGGERATION / 4, 50);
  const map = start(points, settings.random);
  descend(map, wanted, { steps: EARLY_STEPS, exaggeration: EXAGGERATION, momentum: 0.5, rate });
  const steps = (settings.iterations ?? 1000) - EARLY_STEPS;
  const best = descend(map, wanted, { steps, exaggeration: 1, momentum: 0.8, rate });
  return {
    points: points.map((_, i) => [best.map[2 * i] ?? 0, best.map[2 * i + 1] ?? 0] as const),
    divergence: best.divergence,
  };
}

const EXAGGERATION = 12;
const EARLY_STEPS = 250;
/** Spread of the first axis at the start. */
const START = 1e-4;
const TINY = Number.EPSILON;

/** Moves the map downhill in place. Returns the best one on the way: few points swing at this rate and end anywhere. */
function descend(
  map: Float64Array,
  wanted: Float64Array,
  { steps, exaggeration, momentum, rate }: { steps: number; exaggeration: number; momentum: number; rate: number },
): { map: Float64Array; divergence: number } {
  const velocity = new Float64Array(map.length);
  const gains = new Float64Array(map.length).fill(1);
  let best = { map: map.slice(), divergence: Number.POSITIVE_INFINITY };
  for (let step = 0; step <= steps; step++) {
    const { slope, divergence } = gradient(map, wanted, exaggeration);
    if (divergence < best.divergence) best = { map: map.slice(), divergence };
    if (step === steps) break;
    for (let i = 0; i < map.length; i++) {
      const [speed, pull, gain] = [velocity[i] ?? 0, slope[i] ?? 0, gains[i] ?? 1];
      const grown = Math.max(0.01, speed * pull < 0 ? gain + 0.2 : gain * 0.8);
      gains[i] = grown;
      velocity[i] = momentum * speed - rate * grown * pull;
      map[i]! += velocity[i] ?? 0;
    }
  }
  return best;
}

function start(points: readonly ArrayLike<number>[], random: Random): Float64Array {
  const axes = principalComponents(points, 2);
  const first = axes[0] ?? new Float64Array(points.length);
  const deviation = Math.sqrt(first.reduce((sum, value) => sum + value * value, 0) / first.length);
  const map = new Float64Array(2 * points.length);
  for (let i = 0; i < map.length; i++)
    map[i] = deviation === 0 ? START * (random.next() - 0.5) : ((axes[i % 2]?.[i >> 1] ?? 0) / deviation) * START;
  return map;
}

/** How near each pair is, as one distribution over all pairs; row by row. */
function joint(points: readonly ArrayLike<number>[], perplexity: number): Float64Array {
  const n = points.length;
  const conditional = points.map((point, i) =>
    neighbours(
      points.map((other) => squaredDistance(point, other)),
      i,
      perplexity,
    ),
  );
  const probabilities = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++)
      probabilities[i * n + j] =
        i === j ? 0 : Math.max(TINY, ((conditional[i]?.[j] ?? 0) + (conditional[j]?.[i] ?? 0)) / (2 * n));
  return probabilities;
}

function squaredDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += ((a[d] ?? 0) - (b[d] ?? 0)) ** 2;
  return sum;
}

/** A normal distribution around one point, as wide as the perplexity asks: bisection of its precision. */
function neighbours(squares: readonly number[], self: number, perplexity: number): Float64Array {
  const target = Math.log(perplexity);
  let [beta, low, high] = [1, 0, Number.POSITIVE_INFINITY];
  let weights = new Float64Array(squares.length);
  for (let step = 0; step < 100; step++) {
    weights = Float64Array.from(squares, (square, j) => (j === self ? 0 : Math.exp(-square * beta)));
    const sum = Math.max(
      TINY,
      weights.reduce((total, weight) => total + weight, 0),
    );
    weights = weights.map((weight) => weight / sum);
    const entropy = Math.log(sum) + beta * weights.reduce((total, weight, j) => total + weight * (squares[j] ?? 0), 0);
    if (Math.abs(entropy - target) < 1e-5) break;
    if (entropy > target) low = beta;
    else high = beta;
    beta = high === Number.POSITIVE_INFINITY ? beta * 2 : (low + high) / 2;
  }
  return weights;
}

function gradient(map: Float64Array, wanted: Float64Array, exaggeration: number) {
  const n = map.length / 2;
  const kernel = new Float64Array(n * n);
  let sum = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) {
      const [dx, dy] = [map[2 * i]! - map[2 * j]!, map[2 * i + 1]! - map[2 * j + 1]!]; // indexes within both lengths
      const near = 1 / (1 + dx * dx + dy * dy);
      kernel[i * n + j] = near;
      sum += 2 * near;
    }
  const slope = new Float64Array(2 * n);
  let divergence = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) {
      const near = kernel[i * n + j]!;
      const p = wanted[i * n + j]! * exaggeration;
      const q = Math.max(TINY, near / sum);
      divergence += 2 * p * Math.log(p / q);
      const pull = 4 * (p - q) * near;
      const [dx, dy] = [map[2 * i]! - map[2 * j]!, map[2 * i + 1]! - map[2 * j + 1]!];
      slope[2 * i]! += pull * dx;
      slope[2 * i + 1]! += pull * dy;
      slope[2 * j]! -= pull * dx;
      slope[2 * j + 1]! -= pull * dy;
    }
  return { slope, divergence };
}

interface PersonaMap extends TsneMap {
  readonly perplexity: number;
}

/** Fewest points of which a map says anything. */
const MIN_MAPPED = 5;

/**
 * Final personas and what they start from in the plane: exact t-SNE with perplexity min(30, (M - 1) / 3) for M points.
 * Undefined below five points. Source: METHODS 7.7, PersonaAgent Fig. 2.
 */
export function personaMap(vectors: readonly Float32Array[], seed: number): PersonaMap | undefined {
  if (vectors.length < MIN_MAPPED) return undefined;
  const perplexity = Math.min(30, (vectors.length - 1) / 3);
  return { ...tsne(vectors, { perplexity, random: seeded(`${seed}/persona-map`) }), perplexity };
}
