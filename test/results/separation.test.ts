import { describe, expect, test } from "vitest";
import { areaUnderRoc, cutAt, jensenShannon, kolmogorovSmirnov, youdenCut } from "../../src/results/separation.js";

const apart = { high: [3, 4, 5], low: [0, 1, 2] };
const same = { high: [1, 2, 3], low: [1, 2, 3] };

describe("two samples", () => {
  test("that do not overlap are cut between them, with J = 1", () => {
    expect(youdenCut(apart)).toEqual({ threshold: 2.5, j: 1, recall: 1, specificity: 1 });
    expect(youdenCut({ high: [1, 3, 5], low: [0, 2, 2] })).toMatchObject({
      threshold: 2.5,
      recall: 2 / 3,
      specificity: 1,
    });
    expect(youdenCut({ high: [], low: [1] })).toBeUndefined();
    expect(cutAt(apart, 4)).toMatchObject({ recall: 2 / 3, specificity: 1 });
  });

  test("have the area under the curve of the rank test, ties half", () => {
    expect(areaUnderRoc(apart)).toBe(1);
    expect(areaUnderRoc(same)).toBe(0.5);
    expect(areaUnderRoc({ high: [2, 2], low: [2, 1] })).toBe(0.75);
    expect(areaUnderRoc({ high: [1], low: [] })).toBeUndefined();
  });

  test("differ by Kolmogorov and Smirnov as far as their distributions part; p as asymptotic tables have it", () => {
    expect(kolmogorovSmirnov(apart)?.statistic).toBe(1);
    expect(kolmogorovSmirnov(same)).toEqual({ statistic: 0, p: 1 });
    const many = (from: number) => Array.from({ length: 100 }, (_, i) => from + i);
    const { statistic, p } = kolmogorovSmirnov({ high: many(20), low: many(0) })!;
    expect(statistic).toBeCloseTo(0.2, 12);
    expect(p).toBeCloseTo(2 * (Math.exp(-2 * 1.4413 ** 2) - Math.exp(-8 * 1.4413 ** 2)), 4); // of (sqrt(50) + .12 + .11 / sqrt(50)) * .2
  });

  test("have a divergence of ln 2 where no bin is shared, of 0 where all are, in bits as well", () => {
    expect(jensenShannon(apart)).toMatchObject({ nats: expect.closeTo(Math.LN2, 12), bits: expect.closeTo(1, 12) });
    expect(jensenShannon(same)?.nats).toBeCloseTo(0, 12);
    expect(jensenShannon(apart, 10)?.bins).toEqual({ count: 10, from: 0, to: 5 });
    expect(jensenShannon({ high: [1, 1], low: [1] })?.nats).toBe(0);
  });

  test("have the lowest of equal cuts; a score at the threshold is called high", () => {
    expect(youdenCut({ high: [1, 3], low: [0, 2] })).toMatchObject({ threshold: 0.5, j: 0.5 });
    expect(cutAt({ high: [2, 3], low: [1, 2] }, 2)).toMatchObject({ recall: 1, specificity: 0.5 });
  });

  test("have no comparison where either is empty", () => {
    for (const one of [
      { high: [], low: [1] },
      { high: [1], low: [] },
    ])
      expect([youdenCut(one), areaUnderRoc(one), kolmogorovSmirnov(one), jensenShannon(one)]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
  });

  test("differ at a tie by what lies above it: the distance is taken behind equal scores", () => {
    expect(kolmogorovSmirnov({ high: [1, 2, 2, 2], low: [1, 1, 1, 2] })?.statistic).toBe(0.5);
    expect(kolmogorovSmirnov({ high: [1, 1], low: [1, 1] })?.statistic).toBe(0);
    expect(kolmogorovSmirnov({ high: [1, 2], low: [2, 2] })?.statistic).toBe(0.5);
  });

  test("a distance that chance gives half of the time has the p of the limiting series", () => {
    const many = (from: number) => Array.from({ length: 100 }, (_, i) => from + i);
    const { p } = kolmogorovSmirnov({ high: many(11), low: many(0) })!;
    const lambda = (Math.sqrt(50) + 0.12 + 0.11 / Math.sqrt(50)) * 0.11;
    const terms = [1, 2, 3, 4, 5, 6].map((k) => (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * (k * lambda) ** 2));
    expect(p).toBeCloseTo(
      terms.reduce((sum, term) => sum + term, 0),
      10,
    );
  });
});
