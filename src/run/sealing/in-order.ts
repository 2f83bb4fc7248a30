/**
 * The numbers below `count` in the order of what they stand for. `head`: the first 32 bits of each, in that order too; `compare`
 * decides between equal heads. What is equal stays in the order of its numbers.
 */
export function inOrder(
  count: number,
  head: (number: number) => number,
  compare: (a: number, b: number) => number,
): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, number) => number);
  if (count > MOST_PACKED) return order.sort((a, b) => head(a) - head(b) || compare(a, b) || a - b);
  const packed = new Float64Array(count); // sorts without a function, in a tenth of the time
  for (let number = 0; number < count; number++) packed[number] = head(number) * MOST_PACKED + number;
  packed.sort();
  for (let place = 0; place < count; place++) order[place] = packed[place]! % MOST_PACKED;
  for (let start = 0; start < count; ) {
    const same = head(order[start]!);
    let end = start + 1;
    while (end < count && head(order[end]!) === same) end++;
    if (end - start > 1) order.subarray(start, end).sort((a, b) => compare(a, b) || a - b);
    start = end;
  }
  return order;
}

/** With a head, a number below it is exact as a float. */
const MOST_PACKED = 2 ** 21;
