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
