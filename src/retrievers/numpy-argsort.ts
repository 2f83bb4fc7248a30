import type { Hit } from "../types/index.js";

/**
 * Computes `np.argsort(values)` as numpy up to 1.24 computes it: the scalar introsort, whose order of equal values is fixed
 * but not stable. LaMP ranks with it, so it decides which of many equally scored items a prompt shows.
 * Source: numpy 1.24 (BSD-3-Clause), npysort/quicksort.cpp `aquicksort_`, npysort/heapsort.cpp `aheapsort_`.
 *
 * `from` (default 0): only positions from .. n-1 of the result are guaranteed; the rest may be in any order.
 * Values must not be NaN.
 */
export function numpyArgsort(values: ArrayLike<number>, from = 0): Int32Array {
  const order = new Int32Array(values.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  sortFrom(values instanceof Float64Array ? values : Float64Array.from(values), order, from);
  return order;
}

/** Returns the first `count` of `np.argsort(values)[::-1]`: highest value first, ties in numpy's own order. */
export function numpyTop(values: Float64Array, count: number): Int32Array {
  const size = values.length;
  const wanted = Math.max(0, Math.min(count, size));
  return numpyArgsort(values, size - wanted)
    .subarray(size - wanted)
    .reverse();
}

/** Ranges up to this width are sorted by insertion (`SMALL_QUICKSORT`). */
const SMALL = 15;

/** Partitions do not depend on each other, so those left of `from` are dropped unsorted. */
function sortFrom(values: Float64Array, order: Int32Array, from: number): void {
  const waiting: number[] = []; // left, right, depth of each range still to sort
  let left = 0;
  let right = order.length - 1;
  let depth = 2 * (31 - Math.clz32(order.length));
  for (;;) {
    if (depth < 0) heapsort(values, order, left, right);
    else {
      while (right - left > SMALL) {
        const middle = partition(values, order, left, right);
        depth--;
        if (middle - left < right - middle) {
          waiting.push(middle + 1, right, depth);
          right = middle <= from ? left : middle - 1;
        } else {
          if (middle > from) waiting.push(left, middle - 1, depth);
          left = middle + 1;
        }
      }
      insertionSort(values, order, left, right);
    }
    if (waiting.length === 0) return;
    depth = waiting.pop()!;
    right = waiting.pop()!;
    left = waiting.pop()!;
  }
}

/** Median of three, kept at right - 1 while both ends close in. Returns the pivot's final place. */
function partition(values: Float64Array, order: Int32Array, left: number, right: number): number {
  const middle = left + ((right - left) >> 1);
  if (values[order[middle]!]! < values[order[left]!]!) swap(order, middle, left);
  if (values[order[right]!]! < values[order[middle]!]!) swap(order, right, middle);
  if (values[order[middle]!]! < values[order[left]!]!) swap(order, middle, left);
  const pivot = values[order[middle]!]!;
  let i = left;
  let j = right - 1;
  swap(order, middle, j);
  for (;;) {
    do i++;
    while (values[order[i]!]! < pivot);
    do j--;
    while (pivot < values[order[j]!]!);
    if (i >= j) break;
    swap(order, i, j);
  }
  swap(order, i, right - 1);
  return i;
}

function insertionSort(values: Float64Array, order: Int32Array, left: number, right: number): void {
  for (let i = left + 1; i <= right; i++) {
    const moved = order[i]!;
    const value = values[moved]!;
    let j = i;
    for (; j > left && value < values[order[j - 1]!]!; j--) order[j] = order[j - 1]!;
    order[j] = moved;
  }
}

function heapsort(values: Float64Array, order: Int32Array, left: number, right: number): void {
  const heap = order.subarray(left, right + 1);
  for (let root = heap.length >> 1; root > 0; root--) siftDown(values, heap, heap[root - 1]!, root, heap.length);
  for (let size = heap.length - 1; size > 0; size--) {
    const moved = heap[size]!;
    heap[size] = heap[0]!;
    siftDown(values, heap, moved, 1, size);
  }
}

/** Puts `moved` into the subtree of `root` (counted from 1) of a heap of `size` entries. */
function siftDown(values: Float64Array, heap: Int32Array, moved: number, root: number, size: number): void {
  const value = values[moved]!;
  let hole = root;
  for (let child = 2 * root; child <= size; child = 2 * hole) {
    if (child < size && values[heap[child - 1]!]! < values[heap[child]!]!) child++;
    if (!(value < values[heap[child - 1]!]!)) break;
    heap[hole - 1] = heap[child - 1]!;
    hole = child;
  }
  heap[hole - 1] = moved;
}

function swap(order: Int32Array, a: number, b: number): void {
  const kept = order[a]!;
  order[a] = order[b]!;
  order[b] = kept;
}

/**
 * Returns the best `k` documents by score, best first; equal scores in the order in which LaMP's own ranking leaves them
 * (up to 16 documents: the later, newer one first). All scored retrievers rank by this one rule.
 */
export function topKNumpyTies(scores: Float64Array, k: number): Hit[] {
  return Array.from(numpyTop(scores, k), (index) => ({ index, score: scores[index]! }));
}
