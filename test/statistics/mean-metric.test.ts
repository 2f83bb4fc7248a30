import { expect, test } from "vitest";
import { accuracy, macroF1, mae, rmse } from "../../src/metrics/index.js";
import { beforeRoot, isMean, isRootOfMean } from "../../src/statistics/mean-metric.js";
import type { Metric } from "../../src/types/index.js";

const labels = ["1", "2"];
/** A metric of one sum with this value. */
const own = (value: Metric["value"], width = 1): Metric => ({ ...mae, width, value });

test("a mean is told from what only looks like one", () => {
  expect([accuracy(labels), mae, macroF1(labels), rmse].map(isMean)).toEqual([true, true, false, false]);
  expect(isMean(own(() => 0.75))).toBe(false);
  expect(isMean(own(() => 0.5))).toBe(false);
  expect(isMean(own((sums, count) => sums[0]! / count, 2))).toBe(false);
});

test("a root of a mean is told from others, and only its root is taken away", () => {
  expect([accuracy(labels), mae, macroF1(labels), rmse].map(isRootOfMean)).toEqual([false, false, false, true]);
  expect(isRootOfMean(own(() => 3))).toBe(false);
  expect(isRootOfMean(own(() => 2))).toBe(false);
  expect(isRootOfMean(own((sums, count) => Math.sqrt(sums[0]! / count), 2))).toBe(false);
  expect(beforeRoot(rmse).value(Float64Array.of(9), 2)).toBe(4.5);
  expect(beforeRoot(mae)).toBe(mae);
});
