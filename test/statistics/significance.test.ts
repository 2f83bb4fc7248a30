import { expect, test } from "vitest";
import { isSignificant } from "../../src/statistics/holm.js";

test("a p of .05 at most is significant, and no p is not", () => {
  expect([0, 0.0499, 0.05].every(isSignificant)).toBe(true);
  expect([0.0501, 1, undefined].some(isSignificant)).toBe(false);
});
