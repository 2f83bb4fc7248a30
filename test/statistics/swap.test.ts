import { describe, expect, it } from "vitest";
import { accuracy, macroF1 } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import { clusterSums, valueOfAll } from "../../src/statistics/cluster-sums.js";
import { mixedDifference, swapOf, swapOfGains } from "../../src/statistics/swap.js";

const signedSum = (gains: readonly number[], isSwapped: Uint8Array): number =>
  gains.reduce((sum, gain, u) => sum + (isSwapped[u] === 1 ? -gain : gain), 0);
const p = (gains: readonly number[], seed = "s") =>
  swapOf(gains.length, seed, (isSwapped) => signedSum(gains, isSwapped));

/** The share of all patterns of signs whose sum is at least as far from 0. */
function counted(gains: readonly number[]): number {
  const seen = Math.abs(gains.reduce((sum, gain) => sum + gain, 0));
  let count = 0;
  for (let pattern = 0; pattern < 2 ** gains.length; pattern++) {
    const sum = gains.reduce((total, gain, u) => total + ((pattern >> u) & 1 ? -gain : gain), 0);
    if (Math.abs(sum) >= seen - 1e-9) count += 1;
  }
  return count / 2 ** gains.length;
}

describe("the p of a swap of whole users", () => {
  it("counts out all patterns up to 13 users", () => {
    expect(p([1, 2, 3])).toBe(2 / 8);
    expect(p([1, -2, 3])).toBe(6 / 8);
    expect(p([1, 0])).toBe(1);
    expect(p(Array.from({ length: 13 }, () => 1))).toBe(2 / 2 ** 13);
  });

  it("takes what only rounding tells from a tie as a tie", () => expect(p([0.1, 0.2, -0.3])).toBe(1));

  /** The first draws that a comparison of so many users sees; it is left after them. */
  function firstDraws(users: number, seed: string): Uint8Array[] {
    const draws: Uint8Array[] = [];
    const enough = new Error("enough draws");
    expect(() =>
      swapOf(users, seed, (isSwapped) => {
        draws.push(isSwapped);
        if (draws.length === 4) throw enough;
        return 0;
      }),
    ).toThrow(enough);
    return draws.slice(1);
  }

  it("holds no more than one draw at a time of more than 2,000 users, whoever was compared before", () => {
    const draws = firstDraws(2_001, "many"); // first of all: nothing is kept yet
    for (const [at, draw] of draws.entries()) {
      expect(draw.buffer.byteLength).toBe(2_001);
      expect(Math.abs(draw.reduce((sum, bit) => sum + bit, 0) - 1_000)).toBeLessThan(150);
      expect(draws.findIndex((other) => other.every((bit, u) => bit === draw[u]))).toBe(at);
    }
    firstDraws(14, "few");
    expect(firstDraws(2_001, "many")).toEqual(draws);
  });

  it("draws 9,999 patterns above them, never says 0, and is near the count of all", () => {
    expect(p(Array.from({ length: 20 }, () => 1))).toBe(1 / 10_000);
    const gains = Array.from({ length: 14 }, (_, u) => (u % 4 === 0 ? -u - 1 : u + 1));
    expect(p(gains)).toBeGreaterThan(counted(gains) - 0.02);
    expect(p(gains)).toBeLessThan(counted(gains) + 0.02);
  });

  it("is exact of whole sums, and of means over repeats, at any number of users and with any seed", () => {
    const sign = (up: number, down: number, same: number) => [
      ...Array.from({ length: up }, () => 1),
      ...Array.from({ length: down }, () => -1),
      ...Array.from({ length: same }, () => 0),
    ];
    // The sign test: 2 (C(17, 0) + C(17, 1) + C(17, 2)) / 2^17.
    expect(swapOfGains(sign(15, 2, 7), "s")).toBeCloseTo(308 / 2 ** 17, 15);
    expect(swapOfGains(sign(1, 1, 30), "s")).toBe(1);
    const random = seeded("gains");
    for (const parts of [1, 3]) {
      const gains = Array.from({ length: 17 }, () => (random.below(9) - 3) / parts);
      expect(swapOfGains(gains, "one")).toBeCloseTo(counted(gains), 12);
      expect(swapOfGains(gains, "two")).toBe(swapOfGains(gains, "one"));
    }
    const many = Array.from({ length: 3000 }, (_, u) => (u % 2 === 0 ? 2 : -2)); // two-sided, of no difference
    expect(swapOfGains(many, "s")).toBeCloseTo(1, 9);
  });

  it("is drawn where sums are no whole numbers, or are too large to add up", () => {
    const broken = Array.from({ length: 14 }, (_, u) => (u - 4) * Math.SQRT2);
    expect(swapOfGains(broken, "s")).toBe(p(broken));
    const large = Array.from({ length: 20 }, (_, u) => (u - 4) * 1e7);
    expect(swapOfGains(large, "s")).toBe(p(large));
  });

  it("is the same for one seed, whatever was drawn between, and another for another", () => {
    const gains = Array.from({ length: 14 }, (_, u) => u - 4);
    const first = p(gains, "one");
    expect(p(gains, "two")).not.toBe(first);
    expect(p([...gains, 1], "one")).not.toBe(first);
    expect(p(gains, "one")).toBe(first);
  });

  it("draws once for all metrics of a comparison, and anew for other users or another seed", () => {
    const memoryOf = (users: number, seed: string) => {
      const draws = firstDraws(users, seed);
      expect(new Set(draws.map(String)).size).toBe(3);
      for (const draw of draws) expect(draw).toHaveLength(users);
      return draws[0]!.buffer;
    };
    const first = memoryOf(14, "kept");
    expect(memoryOf(14, "kept")).toBe(first);
    expect(memoryOf(15, "kept")).not.toBe(first);
    const second = memoryOf(14, "other");
    expect(memoryOf(14, "other")).toBe(second);
    expect(memoryOf(14, "kept")).not.toBe(second);
  });
});

it("swaps all answers of a user, however many each side has", () => {
  const random = seeded("mixed");
  const user = () =>
    Array.from({ length: 1 + random.below(4) }, () => ({
      gold: `${random.below(3)}`,
      prediction: `${random.below(3)}`,
    }));
  const [a, b] = [Array.from({ length: 6 }, user), Array.from({ length: 6 }, user)];
  for (const metric of [accuracy(["0", "1", "2"]), macroF1(["0", "1", "2"])]) {
    const difference = mixedDifference(clusterSums(metric, a), clusterSums(metric, b));
    for (const pattern of [[], [0], [1, 4], [0, 1, 2, 3, 4, 5]]) {
      const [mixedA, mixedB] = [
        a.map((own, u) => (pattern.includes(u) ? b[u]! : own)),
        b.map((own, u) => (pattern.includes(u) ? a[u]! : own)),
      ];
      const expected = valueOfAll(clusterSums(metric, mixedB)) - valueOfAll(clusterSums(metric, mixedA));
      expect(difference(Uint8Array.from(a, (_, u) => (pattern.includes(u) ? 1 : 0)))).toBeCloseTo(expected, 12);
    }
  }
});
