import { describe, expect, it } from "vitest";
import { binomialAtMost, neededUnchanged, netLossP } from "../../src/statistics/exact-loss.js";

/** By the definition: every way in which so many questions can get worse, better or neither. */
function countedOut(count: number, net: number, losses: number, gains: number): number {
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  let p = 0;
  for (let worse = 0; worse <= count; worse++)
    for (let better = 0; better + worse <= count; better++) {
      if (worse - better > net) continue;
      const same = count - worse - better;
      const ways = factorial(count) / (factorial(worse) * factorial(better) * factorial(same));
      p += ways * losses ** worse * gains ** better * (1 - losses - gains) ** same;
    }
  return p;
}

describe("the exact test of a net loss", () => {
  it("is the chance to see no change, where there is none", () => {
    for (const count of [1, 40, 149, 3000])
      expect(netLossP({ worse: 0, better: 0, count }, 0.02)).toBeCloseTo(0.98 ** count, 12);
    expect(netLossP({ worse: 0, better: 0, count: 50 }, 0)).toBe(1);
    expect(netLossP({ worse: 0, better: 0, count: 50 }, 1)).toBe(0);
  });

  it("counts out the trinomial at the likeliest share of gains", () => {
    const [worse, better, count, margin] = [2, 3, 12, 0.3];
    const likelihood = (gains: number) =>
      (gains + margin) ** worse * gains ** better * (1 - margin - 2 * gains) ** (count - worse - better);
    const shares = Array.from({ length: 7000 }, (_, i) => (i + 1) / 20_000);
    const gains = shares.reduce((best, share) => (likelihood(share) > likelihood(best) ? share : best));
    expect(netLossP({ worse, better, count }, margin)).toBeCloseTo(
      countedOut(count, worse - better, gains + margin, gains),
      4,
    );
  });

  it.each([0.02, 0.3, 0.7])("is the chance by definition of every way 6 questions can change, margin %f", (margin) => {
    const count = 6;
    const steps = 4000;
    const most = (1 - margin) / 2;
    for (let worse = 0; worse <= count; worse++)
      for (let better = 0; better + worse <= count; better++) {
        const likelihood = (gains: number) =>
          (gains + margin) ** worse * gains ** better * (1 - margin - 2 * gains) ** (count - worse - better);
        let gains = 0;
        for (let step = 0; step <= steps; step++)
          if (likelihood((most * step) / steps) > likelihood(gains)) gains = (most * step) / steps;
        const p = netLossP({ worse, better, count }, margin);
        expect(p, `${worse} worse, ${better} better`).toBeCloseTo(
          countedOut(count, worse - better, gains + margin, gains),
          3,
        );
        expect(p).toBeLessThanOrEqual(1);
      }
  });

  it("takes changes both ways for likely where there is no margin", () => {
    expect(netLossP({ worse: 1, better: 1, count: 2 }, 0)).toBeCloseTo(0.75, 9);
    expect(netLossP({ worse: 2, better: 0, count: 2 }, 0)).toBe(1);
  });

  it("credits gains, and holds losses against them", () => {
    const p = (worse: number, better: number) => netLossP({ worse, better, count: 300 }, 0.02);
    expect(p(1, 0)).toBeGreaterThan(p(0, 0));
    expect(p(3, 3)).toBeLessThan(p(3, 0));
    expect(p(6, 0)).toBeGreaterThan(0.5);
  });
});

describe("the binomial", () => {
  it("sums from nothing to all", () => {
    expect(binomialAtMost(1, 3, 0.5)).toBeCloseTo(0.5, 12);
    expect(binomialAtMost(29, 30, 0.3)).toBeLessThanOrEqual(1);
    expect(binomialAtMost(0, 3, 0.5)).toBe(1 / 8);
    expect([binomialAtMost(-1, 3, 0.5), binomialAtMost(3, 3, 0.5), binomialAtMost(2, 3, 1)]).toEqual([0, 1, 0]);
  });

  it("tells the fewest questions that can pass unchanged", () => {
    expect(neededUnchanged(0.02, 0.05)).toBe(149);
    expect(binomialAtMost(0, 149, 0.02)).toBeLessThanOrEqual(0.05);
    expect(binomialAtMost(0, 148, 0.02)).toBeGreaterThan(0.05);
    expect(neededUnchanged(0, 0.05)).toBeUndefined();
    expect([neededUnchanged(0.96, 0.05), neededUnchanged(1, 0.05), neededUnchanged(2, 0.05)]).toEqual([1, 1, 1]);
  });
});
