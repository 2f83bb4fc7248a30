import { mersenneTwister } from "./numpy-mt19937.js";

/**
 * `random.seed(seed); random.shuffle(items)` of CPython 3.11 for a whole number from 0 to 2^32-1.
 * Source: CPython, Modules/_randommodule.c (init_by_array) and Lib/random.py (shuffle, _randbelow_with_getrandbits).
 */
export function pythonShuffle<T>(items: readonly T[], seed: number): T[] {
  const random = mersenneTwister([seed]);
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const bits = 32 - Math.clz32(i + 1);
    let j = random() >>> (32 - bits);
    while (j > i) j = random() >>> (32 - bits);
    [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!]; // both are places of the list
  }
  return shuffled;
}
