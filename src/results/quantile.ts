/** Quantile of ascending values by linear interpolation between order statistics (Hyndman and Fan's type 7). */
export function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (position - below);
}

/** The middle value, of an even number the mean of the two in the middle; undefined of none. */
export function median(values: Iterable<number>): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return sorted.length === 0 ? undefined : (low! + high!) / 2;
}

/** NaN of none. */
export const meanOf = (values: readonly number[] | Float64Array): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
};

/** Sample standard deviation; undefined for fewer than two values. */
export function deviation(values: ArrayLike<number>): number | undefined {
  if (values.length < 2) return undefined;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  const mean = sum / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i]! - mean) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
