/**
 * The mean of a text's token vectors, padding left out. `hidden` holds one vector of `width` numbers a token, `mask` a
 * nonzero number for every token that counts. Source: sentence-transformers, models/Pooling.py (`mean_tokens`).
 */
export function meanPool(hidden: Float32Array, mask: ArrayLike<number | bigint>, width: number): Float64Array {
  const sums = new Float64Array(width);
  let tokens = 0;
  for (let token = 0; token < mask.length; token++) {
    if (Number(mask[token]) === 0) continue;
    tokens++;
    for (let i = 0; i < width; i++) sums[i]! += hidden[token * width + i]!;
  }
  return tokens === 0 ? sums : sums.map((sum) => sum / tokens);
}
