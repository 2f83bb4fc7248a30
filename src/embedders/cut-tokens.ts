/**
 * Cuts a row of token numbers as Python's tokenizers do: the text loses its end, the `closing` special tokens after it
 * stay. (transformers.js 4.3 would cut those off with the text, so that a long text lacked its [SEP].)
 */
export function cutTokens(row: BigInt64Array, maxTokens: number, closing: number): BigInt64Array {
  if (row.length <= maxTokens) return row;
  const cut = row.slice(0, maxTokens);
  cut.set(row.subarray(row.length - closing), maxTokens - closing);
  return cut;
}

/** How many special tokens close a text, told from its tokens and those of the empty text, which has nothing between. */
export function closingTokens(row: BigInt64Array, empty: BigInt64Array): number {
  let opening = 0;
  while (opening < empty.length && row[opening] === empty[opening]) opening++;
  return empty.length - opening;
}
