/** The vector scaled to length 1. The zero vector stays as it is: its cosine with everything is 0. */
export function unitLength(vector: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! ** 2;
  const length = Math.sqrt(squares);
  return Float32Array.from(vector, (value) => (length > 0 ? value / length : 0));
}
