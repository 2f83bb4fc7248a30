import { describe, expect, test } from "vitest";
import { incompleteBeta } from "../../src/results/beta.js";

describe("the beta distribution", () => {
  test("has its closed forms where one parameter is 1, and turns around a half", () => {
    for (const x of [0.001, 0.2, 0.5, 0.77, 0.999])
      for (const a of [0.5, 1, 3.3, 40, 700]) {
        expect(incompleteBeta(x, a, 1)).toBeCloseTo(x ** a, 12);
        expect(incompleteBeta(x, 1, a)).toBeCloseTo(1 - (1 - x) ** a, 12);
        expect(incompleteBeta(x, a, 5.5)).toBeCloseTo(1 - incompleteBeta(1 - x, 5.5, a), 12);
      }
  });

  test("of two halves is the arcsine law, to the last digits also beside its ends", () => {
    for (const x of [1e-12, 1e-6, 0.01, 0.3]) {
      const share = (2 / Math.PI) * Math.asin(Math.sqrt(x));
      expect(Math.abs(incompleteBeta(x, 0.5, 0.5) / share - 1)).toBeLessThan(1e-13);
      expect(incompleteBeta(1 - x, 0.5, 0.5)).toBeCloseTo(1 - share, x < 1e-6 ? 9 : 12); // 1 - x has fewer digits of x
    }
  });

  test("keeps its digits where it is small, however unlike its parameters are", () => {
    for (const b of [1, 5.5, 40, 700]) {
      const share = -Math.expm1(b * Math.log1p(-1e-12));
      expect(Math.abs(incompleteBeta(1e-12, 1, b) / share - 1)).toBeLessThan(1e-11);
    }
  });
});
