import { expect, test } from "vitest";
import { boundBeyond, jackknifeVariance, lossBeyond, shockOf, studentLower } from "../../src/statistics/loss.js";

test("the jackknife adds up squares of what each absence changes", () =>
  expect(jackknifeVariance(2, [1, 2, 4])).toBeCloseTo((5 * 2) / 3, 12));

test("Student's bound lies below the value by its quantile times the error, and at the value without one", () => {
  expect(studentLower(0.5, 0.04, 9, 0.05)).toBeCloseTo(0.5 - 1.8331129326536335 * 0.2, 9);
  expect([0, -1e-20].map((variance) => studentLower(0.5, variance, 9, 0.05))).toEqual([0.5, 0.5]);
});

test("shared noise is known from either side, of two repeats too, and none where repeats agree", () => {
  expect(shockOf([0.5], [0.5, 0.52, 0.54])).toEqual({ sd: expect.closeTo(0.02 * Math.sqrt(4 / 3), 12), degrees: 2 });
  expect(shockOf([0.5, 0.52], [0.7])).toEqual({ sd: expect.closeTo(0.02 * Math.sqrt(0.5 / 2 + 0.5), 12), degrees: 1 });
  expect(shockOf([0.5, 0.5], [0.6, 0.6, 0.6])).toEqual({ sd: 0, degrees: 3 });
});

test("without shared noise the loss stands, and noise as far as the loss leaves nothing to test", () => {
  expect(lossBeyond(-0.1, 0.05, 0)).toBe(0.05);
  expect(lossBeyond(0, 0.1, 0.1)).toBeUndefined();
});

test("a bound moves away from the gain by the noise, as sides of a right triangle", () => {
  expect(boundBeyond(0.1, 0.05, 0.12)).toBeCloseTo(-0.03, 12);
  expect(boundBeyond(0.1, 0.15, 0.12)).toBeCloseTo(0.23, 12);
});

test("without shared noise the bound stands, however far the gain is from it", () =>
  expect(boundBeyond(-5.8e15, 0.3566, 0)).toBe(0.3566));
