import { expect, it } from "vitest";
import { parsePythonFloat } from "../../src/text/python.js";

it.each([
  ["5", 5],
  ["5.", 5],
  [".5", 0.5],
  ["+4", 4],
  ["1e0", 1],
  ["1_0", 10],
  ["1e1_0", 1e10],
  ["1_0.5_0", 10.5],
  ["00005", 5],
  ["-0", -0],
  ["\u00a04\u001c", 4],
  ["５", 5],
  ["٣", 3],
  ["𝟓", 5],
  ["３.５", 3.5],
  ["-Inf", Number.NEGATIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["-NaN", Number.NaN],
  ["1e400", Number.POSITIVE_INFINITY],
])("Python's float reads %j as %d", (text, value) => {
  expect(parsePythonFloat(text)).toBe(value);
});

it.each([
  "",
  ".",
  "5 stars",
  "5/5",
  "0x10",
  "1,5",
  "\u22123",
  "\ufeff4",
  "4\u200b",
  "_1",
  "1_",
  "1__0",
  "1_.0",
  "1._0",
  "1e",
  "1e_1",
  "²",
  "四",
  "infin",
  "ınf",
])("Python's float refuses %j", (text) => {
  expect(parsePythonFloat(text)).toBeUndefined();
});
