import { expect, test, vi } from "vitest";
import { signedSum, swapOf } from "../../src/statistics/swap.js";

const drawn = vi.hoisted(() => ({ count: 0 }));
vi.mock("../../src/random/seeded.js", async (original) => {
  const real = await original<typeof import("../../src/random/seeded.js")>();
  const seeded: typeof real.seeded = (seed) => {
    const random = real.seeded(seed);
    const below = (bound: number): number => {
      drawn.count += 1;
      return random.below(bound);
    };
    return { ...random, below };
  };
  return { ...real, seeded };
});

test("users are drawn once for all metrics of a comparison, and anew for others or another seed", () => {
  const of = (users: number, seed: string) => {
    const before = drawn.count;
    swapOf(users, seed, (isSwapped) => signedSum(Array(users).fill(1), isSwapped));
    return drawn.count - before;
  };
  expect([of(14, "a"), of(14, "a"), of(14, "b"), of(15, "b"), of(15, "b")]).toEqual([
    14 * 9_999,
    0,
    14 * 9_999,
    15 * 9_999,
    0,
  ]);
});
