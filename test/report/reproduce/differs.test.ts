import { expect, test } from "vitest";
import { differenceOf, theirErrors, theirEstimate } from "../../../src/report/reproduce/differs.js";
import { errorsPrintedAs, largestFourthPowers } from "../../../src/report/reproduce/implied-counts.js";
import { mainResults } from "../../../src/report/reproduce/papers/000-t2.js";
import { ablation } from "../../../src/report/reproduce/papers/000-t3.js";
import { paper000 } from "../../../src/report/reproduce/papers/paper-000.js";
import { betaInterval } from "../../../src/statistics/interval.js";
import { wilson } from "../../../src/statistics/wilson.js";

const near = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThan(1e-9);

const theirError = (metric: string, mae: string, rmse: string) =>
  Math.sqrt(theirErrors(metric, { values: { mae, rmse }, count: 112 })!.variance);

test("the interval of a difference has both errors in it", () => {
  const ours = {
    value: 0.86,
    ...betaInterval({ value: 0.86, variance: 0.03 ** 2, degrees: 59, users: 60, most: 120 }),
  };
  const found = differenceOf(ours, { value: 113 / 123, ...wilson(113, 123) });
  near(found.low, -0.143966617661);
  near(found.high, 0.025872058587);
});

test("errors of ratings are those of the derived sums", () => {
  expect(errorsPrintedAs("0.241", "0.509", 112)).toMatchObject({ sum: 27, squaredSum: 29 });
  near(theirError("mae", "0.241", "0.509"), 0.0425338379078);
  expect(errorsPrintedAs("0.339", "0.835", 112)).toMatchObject({ sum: 38, squaredSum: 78 });
  expect(largestFourthPowers(38, 78, 112)).toBe(822);
  near(theirError("rmse", "0.339", "0.835"), 0.248495888979);
  const { value, low, high } = theirEstimate("rmse", { values: { mae: "0.339", rmse: "0.835" }, count: 112 })!;
  expect(low).toBeLessThan(value);
  expect(high).toBeGreaterThan(value);
  expect(theirEstimate("f1", { values: { f1: "0.5" }, count: 112 })).toBeUndefined();
});

test.each(["lamp1", "lamp2m"] as const)(
  "the sizes up to 500 that fit every accuracy of %s are those that are named",
  (task) => {
    const printed = [mainResults, ablation].flatMap(({ columns, rows }) => {
      const at = columns.findIndex((column) => column.task === task && column.metric === "accuracy");
      return rows.map((row) => row.printed[at]!);
    });
    const fits = Array.from({ length: 500 }, (_, i) => i + 1).filter((count) =>
      // A share that ends in 5 may have been rounded either way.
      printed.every((value) => Math.abs(Math.round(Number(value) * count) / count - Number(value)) <= 0.0005 + 1e-12),
    );
    expect(fits).toEqual([paper000.samples[task], ...paper000.alsoFits[task]]);
  },
);
