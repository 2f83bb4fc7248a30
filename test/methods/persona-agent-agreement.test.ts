import { expect, test } from "vitest";
import { agreement } from "../../src/methods/persona-agent/trial.js";

test.each([
  ["label", "Comedy.", "comedy", 1],
  ["label", "I think so.\nFinal Answer: comedy", "comedy", 1],
  ["label", "dark comedy", "comedy", 0],
  ["rating", "4", "5", 0.75],
  ["rating", "5.0", "5", 1],
  ["rating", "five", "5", 0],
  ["rating", "", "1", 0],
  ["rating", "12", "1", 0],
  ["text", '"A quiet town"', "a quiet town", 1],
  ["text", "a quiet harbour", "the quiet town", 1 / 3],
  ["text", "", "the quiet town", 0],
] as const)("%s: %j beside %j agrees to %d", (kind, response, expected, agreed) => {
  expect(agreement(kind, response, expected)).toBeCloseTo(agreed, 12);
});
