import { expect, it } from "vitest";
import { numpyLegacy } from "../../src/random/mersenne-twister.js";

const draw = <T>(count: number, next: () => T): T[] => Array.from({ length: count }, next);

// Numbers printed by numpy 2.4 RandomState(seed).randint; the first of 5489 is the reference value of mt19937ar.c.
it.each([
  [0, [2357136044, 2546248239, 3071714933, 3626093760]],
  [42, [1608637542, 3421126067, 4083286876, 787846414]],
  [5489, [3499211612, 581869302, 3890346734, 3586334585]],
  [4294967295, [419326371, 479346978, 3918654476, 2416749639]],
])("seed %d gives numpy's words", (seed, words) => {
  const random = numpyLegacy(seed);
  expect(draw(4, random.uint32)).toEqual(words);
});

it("bounded draws reject by mask, a bound of 1 draws nothing, and the state survives its first renewal", () => {
  const random = numpyLegacy(42);
  expect(draw(8, () => random.below(10))).toEqual([6, 3, 7, 4, 6, 9, 2, 6]);
  expect(draw(3, () => random.below(1))).toEqual([0, 0, 0]);
  expect(draw(1000, () => random.below(1000)).slice(-3)).toEqual([176, 778, 852]);
});
