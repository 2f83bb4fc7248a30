import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { bestCutoff, fitLogistic, predictProbability } from "../../src/selectors/rums/logistic.js";

describe("logistic regression", () => {
  test("finds a planted direction again", () => {
    const random = seeded("planted");
    const cases = Array.from({ length: 400 }, () => {
      const features = [random.next() * 2 - 1, random.next() * 2 - 1];
      return { features, positive: random.next() < 1 / (1 + Math.exp(-(4 * features[0]! - 2 * features[1]!))) };
    });
    const { weights } = fitLogistic(cases, 0.1);
    expect(weights[0]!).toBeGreaterThan(2.5);
    expect(weights[1]! / weights[0]!).toBeCloseTo(-0.5, 0);
  });

  test("the cut-off has the best F1, the lowest of equals", () => {
    const scored = [0.9, 0.8, 0.3, 0.2].map((probability, at) => ({ probability, positive: at < 2 }));
    expect(bestCutoff(scored)).toEqual({ cutoff: 0.31, f1: 1 });
    expect(bestCutoff([{ probability: 0.4, positive: false }]).f1).toBe(0);
  });

  test.each([0.5, 1, 8])(
    "stands where the penalized likelihood has no slope, the bias not penalized (penalty %d)",
    (penalty) => {
      const random = seeded(`slope ${penalty}`);
      const cases = Array.from({ length: 60 }, () => {
        const features = [random.next() * 4 - 1, random.next() * 2 - 2, random.next() * 1e-3];
        return { features, positive: random.next() < 1 / (1 + Math.exp(-(features[0]! + features[1]! + 1.5))) };
      });
      const positives = cases.filter(({ positive }) => positive).length;
      expect(2 * positives).not.toBe(cases.length);
      const model = fitLogistic(cases, penalty);
      const slopes = [1, ...model.weights].map((_, i) =>
        cases.reduce((sum, one) => {
          const probability =
            1 / (1 + Math.exp(-(model.bias + model.weights.reduce((odds, w, j) => odds + w * one.features[j]!, 0))));
          expect(predictProbability(model, one.features)).toBeCloseTo(probability, 12);
          const weight = cases.length / (2 * (one.positive ? positives : cases.length - positives));
          return sum + weight * ((one.positive ? 1 : 0) - probability) * (i === 0 ? 1 : one.features[i - 1]!);
        }, 0),
      );
      expect(slopes[0]).toBeCloseTo(0, 6);
      for (const [i, weight] of model.weights.entries()) expect(slopes[i + 1]).toBeCloseTo(penalty * weight, 6);
    },
  );

  test("one class alone, or none, is that class with no weight on any feature", () => {
    expect(fitLogistic([{ features: [3, 4], positive: false }])).toEqual({ bias: -30, weights: [0, 0] });
    expect(
      fitLogistic([
        { features: [3], positive: true },
        { features: [4], positive: true },
      ]),
    ).toEqual({ bias: 30, weights: [0] });
    expect(fitLogistic([])).toEqual({ bias: -30, weights: [] });
  });
});
