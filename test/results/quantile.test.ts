import { expect, test } from "vitest";
import { quantile } from "../../src/results/quantile.js";

test("a quantile lies between two values in order, as far along as its share, and the ends are the values there", () => {
  const values = Float64Array.of(1, 2, 4, 9);
  const found = [0, 1 / 3, 0.5, 0.9, 1].map((share) => quantile(values, share));
  expect(found.map((value) => Number(value.toFixed(10)))).toEqual([1, 2, 3, 7.5, 9]);
  expect(quantile(Float64Array.of(7), 0.3)).toBe(7);
});
