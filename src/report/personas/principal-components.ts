/**
 * Coordinates of points along their first principal axes (the scores of a PCA), largest variance first. The sign of an
 * axis is such that its largest loading by size is positive. Axes without variance are 0. Any number of dimensions; the work
 * grows with the square of the number of points.
 */
export function principalComponents(points: readonly ArrayLike<number>[], axes: number): Float64Array[] {
  const centred = centre(points);
  const gram = centred.map((a) => Float64Array.from(centred, (b) => dot(a, b)));
  const total = gram.reduce((sum, row, i) => sum + (row[i] ?? 0), 0);
  return Array.from({ length: axes }, () => {
    const { vector, value } = largestEigen(gram);
    if (value <= total * NO_VARIANCE) return new Float64Array(points.length);
    deflate(gram, vector, value);
    return vector.map((weight) => weight * Math.sqrt(value) * signOf(vector, centred));
  });
}

/** Share of the variance below which an axis is rounding. */
const NO_VARIANCE = 1e-12;
const ITERATIONS = 5000;
const CONVERGED = 1e-12;

function centre(points: readonly ArrayLike<number>[]): Float64Array[] {
  const size = points[0]?.length ?? 0;
  const mean = new Float64Array(size);
  for (const point of points) for (let d = 0; d < size; d++) mean[d]! += (point[d] ?? 0) / points.length;
  return points.map((point) => Float64Array.from(mean, (middle, d) => (point[d] ?? 0) - middle));
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Power iteration, from the longest row. */
function largestEigen(matrix: readonly Float64Array[]): { vector: Float64Array; value: number } {
  const start = matrix.reduce(
    (best, row) => (dot(row, row) > dot(best, best) ? row : best),
    new Float64Array(matrix.length),
  );
  let vector = unit(start);
  for (let step = 0; step < ITERATIONS; step++) {
    const next = unit(Float64Array.from(matrix, (row) => dot(row, vector)));
    const moved = Math.hypot(...next.map((value, i) => value - (vector[i] ?? 0)));
    vector = next;
    if (moved < CONVERGED) break;
  }
  return {
    vector,
    value: dot(
      vector,
      Float64Array.from(matrix, (row) => dot(row, vector)),
    ),
  };
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function deflate(matrix: readonly Float64Array[], vector: Float64Array, value: number): void {
  for (const [i, row] of matrix.entries())
    for (let j = 0; j < row.length; j++) row[j]! -= value * (vector[i] ?? 0) * (vector[j] ?? 0);
}

/** 1 or -1: the axis in the space of the points has its largest loading positive. */
function signOf(vector: Float64Array, points: readonly Float64Array[]): number {
  const loading = new Float64Array(points[0]?.length ?? 0);
  for (const [i, point] of points.entries())
    for (let d = 0; d < loading.length; d++) loading[d]! += (vector[i] ?? 0) * (point[d] ?? 0);
  const largest = loading.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
  return largest < 0 ? -1 : 1;
}
