import { describe, expect, test } from "vitest";
import { gainOf, signOf, tally } from "../../../src/report/compare/question-test.js";

describe("gains", () => {
  test("count upwards on every metric", () => {
    expect(gainOf({ better: "higher" }, 0.25, 0.5)).toBe(0.25);
    expect(gainOf({ better: "lower" }, 0.25, 0.5)).toBe(-0.25);
    expect(Object.is(gainOf({ better: "lower" }, 1, 1), 0)).toBe(true);
  });

  test("that differ by rounding are ties", () => {
    expect(signOf(0.1 + 0.2 - 0.3)).toBe(0);
    expect([1e-12, -1e-12, 1.1e-12, -1.1e-12].map(signOf)).toEqual([0, 0, 1, -1]);
    expect(tally([0.5, 0.1 + 0.2 - 0.3, -0.2, 0, 1e-9])).toEqual({ wins: 2, ties: 2, losses: 1 });
  });
});
