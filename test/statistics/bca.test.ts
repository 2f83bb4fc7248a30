import { describe, expect, it } from "vitest";
import { bound, intervalOf, pAtLeast, pAtMost, type Resampled, resampled } from "../../src/statistics/bca.js";
import { normalQuantile } from "../../src/statistics/normal.js";
import { studentUpperTail } from "../../src/statistics/student.js";

/** Resamples -50 .. 50, 101 of them, of so many users that little is widened. */
const plain: Resampled = {
  estimate: 0,
  error: 29.2,
  sorted: Float64Array.from({ length: 101 }, (_, i) => i - 50),
  clusters: 1000,
  bias: 0,
  acceleration: 0,
};
const widened = (z: number, clusters = plain.clusters) =>
  studentUpperTail(-z / Math.sqrt(clusters / (clusters - 1)), clusters - 1);
const riskOf = (share: number, clusters?: number) => widened(normalQuantile(share), clusters);

describe("the risk that the true number is no more than a threshold", () => {
  it("is the share of resamples there, one more counted on both sides, widened for few users", () => {
    expect(pAtMost(plain, -20.5)).toBeCloseTo(riskOf(31 / 102), 12);
    expect(pAtLeast(plain, 20.5)).toBeCloseTo(riskOf(31 / 102), 12);
    const few = { ...plain, clusters: 12 };
    expect(pAtMost(few, -20.5)).toBeCloseTo(riskOf(31 / 102, 12), 12);
    expect(pAtMost(few, -20.5)).toBeGreaterThan(pAtMost(plain, -20.5));
  });

  it("counts what lies on the threshold, and what only rounding tells from it, on both sides", () => {
    for (const threshold of [-20, -20 - 1e-13, -20 + 1e-13])
      expect(pAtMost(plain, threshold)).toBeCloseTo(riskOf(32 / 102), 12);
    for (const threshold of [20, 20 - 1e-13, 20 + 1e-13])
      expect(pAtLeast(plain, threshold)).toBeCloseTo(riskOf(32 / 102), 12);
  });

  it("is certain where every resample is there", () => {
    expect(pAtMost(plain, 50)).toBe(1);
    expect(pAtLeast(plain, -50)).toBe(1);
    expect(pAtMost(plain, 49.5)).toBeLessThan(1);
  });

  it("follows the distance in standard errors where fewer than five resamples are there, if that is smaller", () => {
    const far = { ...plain, error: 10 };
    const distance = (threshold: number) => studentUpperTail(Math.abs(threshold) / (10 * Math.sqrt(1000 / 999)), 999);
    expect(pAtMost(far, -46.5)).toBeCloseTo(Math.max(1 / 102, distance(46.5)), 12); // four resamples
    expect(pAtMost(far, -45.5)).toBeCloseTo(riskOf(6 / 102), 12); // five
    expect(pAtLeast({ ...far, error: 20 }, 46.5)).toBeCloseTo(
      studentUpperTail(46.5 / (20 * Math.sqrt(1000 / 999)), 999),
      12,
    );
    expect(pAtMost({ ...far, error: 1000 }, -46.5)).toBeCloseTo(riskOf(5 / 102), 12);
  });

  it("is that of one resample more where none is there and all are the same", () => {
    const same = { ...plain, error: 0, sorted: new Float64Array(101) };
    expect(pAtMost(same, -1)).toBeCloseTo(riskOf(1 / 102), 12);
    expect(pAtLeast(same, 1)).toBeCloseTo(riskOf(1 / 102), 12);
  });

  it("grows towards the side of the bias and of the long tail", () => {
    expect(pAtMost({ ...plain, bias: 0.2 }, -20.5)).toBeLessThan(pAtMost(plain, -20.5));
    expect(pAtLeast({ ...plain, bias: 0.2 }, 20.5)).toBeGreaterThan(pAtLeast(plain, 20.5));
    expect(pAtMost({ ...plain, acceleration: 0.1 }, -20.5)).toBeLessThan(pAtMost(plain, -20.5));
    expect(pAtLeast({ ...plain, acceleration: 0.1 }, 20.5)).toBeGreaterThan(pAtLeast(plain, 20.5));
  });

  it("is all or nothing where the skew lets no bound lie so far", () => {
    const skewed = { ...plain, error: 1000 };
    expect(pAtMost({ ...skewed, acceleration: 0.6 }, -48.5)).toBe(1 / 102);
    expect(pAtMost({ ...skewed, acceleration: -0.6 }, 48.5)).toBe(1);
  });
});

describe("a bound", () => {
  it("and its risk are two readings of one thing, bias and skew included", () => {
    for (const found of [plain, { ...plain, bias: 0.1, acceleration: 0.05 }, { ...plain, clusters: 15, bias: -0.1 }])
      for (const confidence of [0.8, 0.9]) {
        expect(Math.abs(pAtMost(found, bound(found, 1 - confidence)) - (1 - confidence))).toBeLessThan(0.02);
        expect(Math.abs(pAtLeast(found, bound(found, confidence)) - (1 - confidence))).toBeLessThan(0.02);
      }
  });

  it("that the skew puts beyond all resamples is the outermost of them", () => {
    expect(bound({ ...plain, acceleration: 0.5 }, 0.99)).toBe(50);
    expect(bound({ ...plain, acceleration: -0.5 }, 0.01)).toBe(-50);
  });

  it("at both ends makes an interval of the level", () => {
    const { low, high } = intervalOf(plain, 0.9);
    expect([low, high]).toEqual([bound(plain, 0.05), bound(plain, 0.95)]);
    expect(low).toBeCloseTo(-high, 9);
  });
});

describe("what resampling tells", () => {
  const half = Float64Array.from([1, 2, 3, 4]);

  it("has no bias where as many resamples lie below the number as above, those at it half each", () => {
    expect(resampled(2.5, half.slice(), half).bias).toBeCloseTo(0, 12);
    expect(resampled(2, half.slice(), half).bias).toBeCloseTo(normalQuantile(3 / 8), 12);
    expect(resampled(2 + 1e-13, half.slice(), half).bias).toBeCloseTo(normalQuantile(3 / 8), 12);
    expect(resampled(3 - 1e-13, half.slice(), half).bias).toBeCloseTo(normalQuantile(5 / 8), 12);
  });

  it("has the bias that so many resamples can tell where all lie on one side", () => {
    expect(resampled(9, half.slice(), half).bias).toBeCloseTo(normalQuantile(1 - 1 / 8), 12);
    expect(resampled(-9, half.slice(), half).bias).toBeCloseTo(normalQuantile(1 / 8), 12);
  });

  it("has no skew where no user makes a difference, and that of the users otherwise", () => {
    expect(resampled(1, half.slice(), Float64Array.of(0.1, 0.1, 0.1 + 1e-17)).acceleration).toBe(0);
    const withoutOne = Float64Array.of(0, 0, 3); // mean 1: 1 + 1 + 4 squared, 1 + 1 - 8 cubed
    expect(resampled(1, half.slice(), withoutOne).acceleration).toBeCloseTo(-6 / (6 * 6 ** 1.5), 12);
  });

  it("is put in order, with its spread and the number of users", () => {
    const found = resampled(2, Float64Array.of(3, 1, 2), half);
    expect([...found.sorted]).toEqual([1, 2, 3]);
    expect(found).toMatchObject({ estimate: 2, error: 1, clusters: 4 });
    expect(resampled(2, Float64Array.of(2), half).error).toBe(0);
  });
});
