import { dot } from "../../retrievers/dense.js";
/** A linear model of log-odds: the probability of a case is 1 / (1 + e^-(bias + weights . features)). */
export interface LogisticModel {
  readonly bias: number;
  readonly weights: readonly number[];
}

export interface LabelledCase {
  readonly features: readonly number[];
  readonly positive: boolean;
}

/**
 * L2-regularized logistic regression by Newton's method, the bias not regularized (as scikit-learn with C = 1 / penalty).
 * Cases are weighted so that both classes count alike: most items of a memory are of no use. Deterministic.
 */
export function fitLogistic(cases: readonly LabelledCase[], penalty = 1): LogisticModel {
  const width = (cases[0]?.features.length ?? 0) + 1;
  const positives = cases.filter((one) => one.positive).length;
  if (positives === 0 || positives === cases.length) return constant(positives > 0, width - 1);
  const weightOf = (one: LabelledCase): number =>
    cases.length / (2 * (one.positive ? positives : cases.length - positives));
  let beta = new Float64Array(width);
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Float64Array(width);
    const hessian = Array.from({ length: width }, () => new Float64Array(width));
    for (const one of cases) {
      const x = [1, ...one.features];
      const probability = logistic(dot(beta, x));
      const weight = weightOf(one);
      const error = weight * ((one.positive ? 1 : 0) - probability);
      const curve = weight * Math.max(probability * (1 - probability), 1e-9);
      for (let i = 0; i < width; i++) {
        gradient[i]! += error * x[i]!;
        for (let j = 0; j <= i; j++) hessian[i]![j]! += curve * x[i]! * x[j]!;
      }
    }
    for (let i = 0; i < width; i++) {
      if (i > 0) gradient[i]! -= penalty * beta[i]!;
      hessian[i]![i]! += i > 0 ? penalty : 1e-9;
      for (let j = 0; j < i; j++) hessian[j]![i] = hessian[i]![j]!;
    }
    const change = solve(hessian, gradient);
    beta = beta.map((value, i) => value + change[i]!);
    if (Math.max(...change.map(Math.abs)) < 1e-9) break;
  }
  const [bias = 0, ...weights] = beta;
  return { bias, weights };
}

/** Returns the probability that a model gives a case. */
export const predictProbability = ({ bias, weights }: LogisticModel, features: readonly number[]): number =>
  logistic(bias + weights.reduce((sum, weight, i) => sum + weight * (features[i] ?? 0), 0));

/** Each feature by the mean and deviation of the training cases. */
export const standardized = (
  row: readonly number[],
  { means, deviations }: { readonly means: readonly number[]; readonly deviations: readonly number[] },
): number[] => row.map((value, at) => (value - means[at]!) / deviations[at]!);

/** Returns the cut-off of probabilities with the highest F1 (RUMS F.5: a grid), of equal ones the lowest, and its F1. */
export function bestCutoff(
  scored: readonly { readonly probability: number; readonly positive: boolean }[],
  grid: readonly number[] = GRID,
): { readonly cutoff: number; readonly f1: number } {
  return grid
    .map((cutoff) => ({ cutoff, f1: f1At(scored, cutoff) }))
    .reduce((best, one) => (one.f1 > best.f1 ? one : best));
}

const STEPS = 50;
const GRID = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);

/** The probability that odds in logarithms stand for. */
const logistic = (odds: number): number => 1 / (1 + Math.exp(-odds));

/** Returns a model that always predicts one class, for cases that are all of it. */
const constant = (positive: boolean, width: number): LogisticModel => ({
  bias: positive ? 30 : -30,
  weights: new Array<number>(width).fill(0),
});

function f1At(scored: readonly { readonly probability: number; readonly positive: boolean }[], cutoff: number): number {
  let [hits, chosen, wanted] = [0, 0, 0];
  for (const { probability, positive } of scored) {
    if (positive) wanted += 1;
    if (probability < cutoff) continue;
    chosen += 1;
    if (positive) hits += 1;
  }
  return hits === 0 ? 0 : (2 * hits) / (chosen + wanted);
}

/** Solves by gaussian elimination with the largest pivot. The matrix is symmetric and positive. */
function solve(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const n = right.length;
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let at = 0; at < n; at++) {
    let pivot = at;
    for (let row = at + 1; row < n; row++) if (Math.abs(rows[row]![at]!) > Math.abs(rows[pivot]![at]!)) pivot = row;
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    for (let row = at + 1; row < n; row++) {
      const factor = rows[row]![at]! / rows[at]![at]!;
      for (let column = at; column <= n; column++) rows[row]![column]! -= factor * rows[at]![column]!;
    }
  }
  const solved = new Float64Array(n);
  for (let at = n - 1; at >= 0; at--) {
    let sum = rows[at]![n]!;
    for (let column = at + 1; column < n; column++) sum -= rows[at]![column]! * solved[column]!;
    solved[at] = sum / rows[at]![at]!;
  }
  return solved;
}
