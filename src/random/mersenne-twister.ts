import { UsageError } from "../errors.js";

/** The legacy generator behind `np.random.seed(seed)`. */
export interface NumpyLegacyRandom {
  uint32(): number;
  /** `np.random.randint(0, bound)` for bound <= 2^32: masked rejection; bound 1 draws nothing. */
  below(bound: number): number;
}

const SIZE = 624;
const SHIFT = 397;

/**
 * MT19937 seeded by init_genrand, as numpy's RandomState does for an integer seed (0 .. 2^32-1).
 * Source: Matsumoto and Nishimura, mt19937ar.c, 2002; numpy/random/src/distributions (bounded, masked).
 */
export function numpyLegacy(seed: number): NumpyLegacyRandom {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff)
    throw new UsageError(`seed ${seed}: numpy takes whole numbers from 0 to ${0xffffffff}`);
  const uint32 = outputOf(seededState(seed));

  return {
    uint32,
    below(bound) {
      if (bound <= 1) return 0;
      const mask = 0xffffffff >>> Math.clz32(bound - 1);
      let drawn = (uint32() & mask) >>> 0;
      while (drawn >= bound) drawn = (uint32() & mask) >>> 0;
      return drawn;
    },
  };
}

/** MT19937 seeded by init_by_array, as CPython's `random.seed` does for a whole number: its words of 32 bits, lowest first. */
function mersenneTwister(key: readonly number[]): () => number {
  const state = seededState(19650218);
  const mixed = (i: number, factor: number): number =>
    state[i]! ^ Math.imul(state[i - 1]! ^ (state[i - 1]! >>> 30), factor);
  let i = 1;
  const step = (value: number): void => {
    state[i++] = value;
    if (i === SIZE) [state[0], i] = [state[SIZE - 1]!, 1];
  };
  for (let k = 0; k < Math.max(SIZE, key.length); k++) {
    const j = k % key.length;
    step(mixed(i, 1664525) + key[j]! + j);
  }
  for (let k = 1; k < SIZE; k++) step(mixed(i, 1566083941) - i);
  state[0] = 0x80000000;
  return outputOf(state);
}

function seededState(seed: number): Uint32Array {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i++) {
    const last = state[i - 1]!;
    state[i] = Math.imul(1812433253, last ^ (last >>> 30)) + i;
  }
  return state;
}

/** Returns the tempered numbers of 32 bits that a state gives, one a call. */
function outputOf(state: Uint32Array): () => number {
  let next = SIZE;
  return () => {
    if (next === SIZE) {
      twist(state);
      next = 0;
    }
    let y = state[next++]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < SIZE; i++) {
    const y = (state[i]! & 0x80000000) | (state[(i + 1) % SIZE]! & 0x7fffffff);
    state[i] = state[(i + SHIFT) % SIZE]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
  }
}

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
