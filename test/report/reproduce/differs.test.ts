import { expect, test } from "vitest";
import { tableNamed } from "../../../src/app/reproduce/papers.js";
import { differenceOf, theirEstimate } from "../../../src/report/reproduce/differs.js";
import { errorsPrintedAs, largestFourthPowers } from "../../../src/report/reproduce/implied.js";
import { betaInterval } from "../../../src/statistics/interval.js";
import { wilson } from "../../../src/statistics/wilson.js";

const near = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThan(1e-9);

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
  const share = { value: 27 / 112 / 4, degrees: 111, users: 112 };
  const { low: lowest, high: highest } = betaInterval({ ...share, variance: (0.0425338379078 / 4) ** 2 });
  const mae = theirEstimate("mae", { values: { mae: "0.241", rmse: "0.509" }, count: 112 })!;
  near(mae.low, 4 * lowest);
  near(mae.high, 4 * highest);
  expect(errorsPrintedAs("0.339", "0.835", 112)).toMatchObject({ sum: 38, squaredSum: 78 });
  expect(largestFourthPowers(38, 78, 112)).toBe(822);
  const { value, low, high } = theirEstimate("rmse", { values: { mae: "0.339", rmse: "0.835" }, count: 112 })!;
  const square = { value: 78 / 112 / 16, variance: (0.248495888979 / 16) ** 2, degrees: 111, users: 112 };
  near(value ** 2, 78 / 112);
  near(low ** 2, 16 * betaInterval(square).low);
  near(high ** 2, 16 * betaInterval(square).high);
  expect(theirEstimate("f1", { values: { f1: "0.5" }, count: 112 })).toBeUndefined();
});

test.each(["lamp1", "lamp2m"] as const)(
  "the sizes up to 500 that fit every accuracy of %s are those that are named",
  (task) => {
    const printed = ["personaagent/T2", "personaagent/T3"]
      .map((name) => tableNamed(name, "."))
      .flatMap(({ columns, rows }) => {
        const at = columns.findIndex((column) => column.task === task && column.metric === "accuracy");
        return rows.map((row) => row.values[at]!);
      });
    const fits = Array.from({ length: 500 }, (_, i) => i + 1).filter((count) =>
      // A share that ends in 5 may have been rounded either way.
      printed.every((value) => Math.abs(Math.round(Number(value) * count) / count - Number(value)) <= 0.0005 + 1e-12),
    );
    const { n, alsoFits } = tableNamed("personaagent/T2", ".").sizes[task]!;
    expect(fits).toEqual([n, ...alsoFits]);
  },
);
