import { studentQuantile } from "./student.js";

/** One drawn cluster: what is known of all before (its size), and what it came to. */
export interface DrawnCluster {
  readonly x: number;
  readonly y: number;
}

interface RatioForecast {
  /** y by x. */
  readonly ratio: number;
  /** Of those that were not drawn. */
  readonly expected: number;
  /** Half the width of the 95 % prediction interval of `expected`. Undefined for fewer than two drawn. */
  readonly half: number | undefined;
}

/**
 * What clusters that were not drawn will come to, from those that were: a ratio estimate. The interval holds the scatter of the
 * rest and the error of the ratio; residuals are those of a ratio without the cluster at hand, since large clusters draw the
 * ratio to themselves. Source: Cochran, Sampling Techniques, 3rd ed., chapter 6; prediction of a total.
 */
export function ratioForecast(
  drawn: readonly DrawnCluster[],
  rest: { readonly count: number; readonly x: number },
): RatioForecast {
  const n = drawn.length;
  const [sumX, sumY] = [sum(drawn.map(({ x }) => x)), sum(drawn.map(({ y }) => y))];
  const ratio = sumX === 0 ? 0 : sumY / sumX;
  const expected = ratio * rest.x;
  if (rest.count === 0) return { ratio, expected: 0, half: 0 };
  if (n < 2 || sumX === 0) return { ratio, expected, half: undefined };
  const residuals = drawn.map(({ x, y }) => (y - ratio * x) / (1 - Math.min(x / sumX, MOST_WEIGHT)));
  const variance = sum(residuals.map((residual) => residual ** 2)) / (n - 1);
  const meanX = sumX / n;
  const spread = Math.sqrt(variance) * Math.sqrt(rest.count + (rest.x / meanX) ** 2 / n);
  return { ratio, expected, half: studentQuantile(0.975, n - 1) * spread };
}

/**
 * Indexes of `count` clusters of these sizes: every so-manieth in order of size, from a random start, so that small and large
 * ones are drawn in their shares. `start`: uniform in [0, 1).
 */
export function systematicDraw(sizes: readonly number[], count: number, start: number): number[] {
  const order = sizes.map((_, i) => i).sort((a, b) => sizes[a]! - sizes[b]! || a - b);
  if (count >= order.length) return order.sort((a, b) => a - b);
  const step = order.length / count;
  const drawn = Array.from({ length: count }, (_, k) => order[Math.floor((k + start) * step)]!);
  return drawn.sort((a, b) => a - b);
}

/** A cluster that is nearly all there is says little of the others. */
const MOST_WEIGHT = 0.9;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
