import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { bestCutoff, fitLogistic, shareOf } from "../../src/selectors/rums/logistic.js";

describe("logistic regression", () => {
  test("finds a planted direction again", () => {
    const random = seeded("planted");
    const cases = Array.from({ length: 400 }, () => {
      const features = [random.next() * 2 - 1, random.next() * 2 - 1];
      return { features, is: random.next() < 1 / (1 + Math.exp(-(4 * features[0]! - 2 * features[1]!))) };
    });
    const { weights } = fitLogistic(cases, 0.1);
    expect(weights[0]!).toBeGreaterThan(2.5);
    expect(weights[1]! / weights[0]!).toBeCloseTo(-0.5, 0);
  });

  test("is the mean log-odds without features, classes counting alike", () => {
    const cases = [true, false, false, false].map((is) => ({ features: [], is }));
    expect(fitLogistic(cases).bias).toBeCloseTo(0, 9);
  });

  test("a heavier penalty shrinks the weights, not the bias; one class alone is that class", () => {
    const cases = [-2, -1, 1, 2].map((x) => ({ features: [x], is: x > 0 }));
    expect(Math.abs(fitLogistic(cases, 10).weights[0]!)).toBeLessThan(Math.abs(fitLogistic(cases, 1).weights[0]!));
    expect(shareOf(fitLogistic([{ features: [1], is: true }]), [5])).toBeGreaterThan(0.99);
  });

  test("the cut-off has the best F1, the lowest of equals", () => {
    const scored = [0.9, 0.8, 0.3, 0.2].map((share, at) => ({ share, is: at < 2 }));
    expect(bestCutoff(scored)).toEqual({ cutoff: 0.31, f1: 1 });
    expect(bestCutoff([{ share: 0.4, is: false }]).f1).toBe(0);
  });
});
