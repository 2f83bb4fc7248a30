import { describe, expect, test } from "vitest";
import { daysBetween, retention } from "../../src/memory/memory-bank.js";

describe("the forgetting curve", () => {
  test("is e^(-t/S) in the paper: strength keeps a memory", () => {
    expect(retention("paper", 1, 1)).toBeCloseTo(0.3679, 4);
    expect(retention("paper", 1, 2)).toBeCloseTo(0.6065, 4);
  });

  test("is e^(-t*S/5) in the released code: strength loses it", () => {
    expect(retention("released-bug", 1, 1)).toBeCloseTo(0.8187, 4);
    expect(retention("released-bug", 1, 2)).toBeCloseTo(0.6703, 4);
  });

  test("is 1 when it is off", () => expect(retention("off", 1000, 1)).toBe(1));
});

test("days are counted between full dates, months and bare years, never backwards", () => {
  expect(daysBetween("2020-02-28", "2020-03-01")).toBe(2);
  expect(daysBetween("2019", "2020")).toBe(365);
  expect(daysBetween("2020-01", "2020-02-01")).toBe(31);
  expect(daysBetween("2021-01-01", "2020-01-01")).toBe(0);
  expect(daysBetween(undefined, "2020")).toBeUndefined();
  expect(daysBetween("2020", "soon")).toBeUndefined();
});
