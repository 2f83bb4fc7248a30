/** Returns items by key, keys in order of first appearance. */
export function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

/** Returns the mean; NaN of none. */
export function meanOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Returns the mean; undefined of none. */
export const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : meanOf(values);

/** Returns the middle value, of an even number the mean of the two in the middle; undefined of none. */
export function median(values: Iterable<number>): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return sorted.length === 0 ? undefined : (low! + high!) / 2;
}

/** Returns the sample standard deviation; undefined for fewer than two values. */
export function deviation(values: readonly number[]): number | undefined {
  if (values.length < 2) return undefined;
  const center = meanOf(values);
  let squares = 0;
  for (const value of values) squares += (value - center) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
