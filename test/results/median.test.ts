import { describe, expect, test } from "vitest";
import { median } from "../../src/results/quantile.js";

describe("the median", () => {
  test("is the middle value, or the mean of the two in the middle", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([10, 1, 2, 3])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  test("orders numbers as numbers and leaves its values as they were", () => {
    const values = [10, 9, 2];
    expect(median(values)).toBe(9);
    expect(values).toEqual([10, 9, 2]);
  });

  test("is undefined of nothing", () => expect(median([])).toBeUndefined());
});
