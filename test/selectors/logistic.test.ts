import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { bestCutoff, fitLogistic, shareOf, standardized } from "../../src/selectors/rums/logistic.js";

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

  test.each([0.5, 1, 8])(
    "stands where the penalized likelihood has no slope, the bias not penalized (penalty %d)",
    (penalty) => {
      const random = seeded(`slope ${penalty}`);
      const cases = Array.from({ length: 60 }, () => {
        const features = [random.next() * 4 - 1, random.next() * 2 - 2, random.next() * 1e-3];
        return { features, is: random.next() < 1 / (1 + Math.exp(-(features[0]! + features[1]! + 1.5))) };
      });
      const positives = cases.filter(({ is }) => is).length;
      expect(2 * positives).not.toBe(cases.length);
      const model = fitLogistic(cases, penalty);
      const slopes = [1, ...model.weights].map((_, i) =>
        cases.reduce((sum, one) => {
          const share =
            1 / (1 + Math.exp(-(model.bias + model.weights.reduce((odds, w, j) => odds + w * one.features[j]!, 0))));
          expect(shareOf(model, one.features)).toBeCloseTo(share, 12);
          const weight = cases.length / (2 * (one.is ? positives : cases.length - positives));
          return sum + weight * ((one.is ? 1 : 0) - share) * (i === 0 ? 1 : one.features[i - 1]!);
        }, 0),
      );
      expect(slopes[0]).toBeCloseTo(0, 6);
      for (const [i, weight] of model.weights.entries()) expect(slopes[i + 1]).toBeCloseTo(penalty * weight, 6);
    },
  );

  test("a feature that is zero in half of the cases, and one that is the sum of two others, are no obstacle", () => {
    const cases = Array.from({ length: 16 }, (_, n) => {
      const [a, b] = [n % 2, n % 3];
      return { features: [0, a, b, a + b], is: n % 4 === 1 };
    });
    const { weights } = fitLogistic(cases, 1);
    expect(weights[0]).toBeCloseTo(0, 9);
    expect(weights[3]).toBeCloseTo(weights[1]! + weights[2]!, 6);
    for (const weight of weights) expect(Number.isFinite(weight)).toBe(true);
  });

  test("one class alone, or none, is that class with no weight on any feature", () => {
    expect(fitLogistic([{ features: [3, 4], is: false }])).toEqual({ bias: -30, weights: [0, 0] });
    expect(
      fitLogistic([
        { features: [3], is: true },
        { features: [4], is: true },
      ]),
    ).toEqual({ bias: 30, weights: [0] });
    expect(fitLogistic([])).toEqual({ bias: -30, weights: [] });
  });

  test("features that a row lacks count as 0; features are taken apart by mean and deviation", () => {
    expect(shareOf({ bias: 1, weights: [2, 5] }, [0.5])).toBeCloseTo(1 / (1 + Math.exp(-2)), 12);
    expect(standardized([5, 1], { means: [3, 2], deviations: [4, 0.5] })).toEqual([0.5, -2]);
  });

  test("the grid of cut-offs goes from .01 to .99; F1 counts what is chosen and what was wanted", () => {
    expect(
      bestCutoff([
        { share: 0.005, is: true },
        { share: 0.5, is: true },
      ]),
    ).toEqual({ cutoff: 0.01, f1: 2 / 3 });
    expect(
      bestCutoff([
        { share: 0.995, is: true },
        { share: 0.985, is: false },
      ]),
    ).toEqual({ cutoff: 0.99, f1: 1 });
    expect(
      bestCutoff(
        [
          { share: 0.4, is: false },
          { share: 0.3, is: true },
        ],
        [0.2, 0.35],
      ),
    ).toEqual({ cutoff: 0.2, f1: 2 / 3 });
    expect(bestCutoff([{ share: 0.4, is: false }]).cutoff).toBe(0.01);
  });
});
