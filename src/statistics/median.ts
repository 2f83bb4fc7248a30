/** The middle value, of an even number the mean of the two in the middle; undefined of none. */
export function median(values: Iterable<number>): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return sorted.length === 0 ? undefined : (low! + high!) / 2;
}
