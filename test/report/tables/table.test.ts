import { describe, expect, test } from "vitest";
import { formatAmount, formatScore, formatUsd, renderMarkdown, renderText } from "../../../src/report/tables/table.js";

const table = {
  columns: [
    { title: "method", align: "left" },
    { title: "n", align: "right" },
  ],
  rows: [
    ["a|b", "7"],
    ["prompt", "1,024"],
  ],
} as const;

describe("tables", () => {
  test("line up on a terminal, without blanks at the ends of lines", () => {
    expect(renderText(table).split("\n")).toEqual(["method      n", "------  -----", "a|b         7", "prompt  1,024"]);
  });

  test("in Markdown escape what would break a cell", () => {
    expect(renderMarkdown(table).split("\n")).toEqual([
      "| method | n |",
      "| --- | ---: |",
      "| a\\|b | 7 |",
      "| prompt | 1,024 |",
    ]);
  });

  test("without rows still have a head", () => {
    expect(renderText({ ...table, rows: [] })).toBe("method  n\n------  -");
  });
});

describe("numbers", () => {
  test.each([
    [0.5131, ".513"],
    [1, "1.000"],
    [0, ".000"],
    [-0.004, "-.004"],
    [10.2, "10.200"],
    [undefined, "-"],
    [Number.NaN, "-"],
  ])("score %s is printed %s", (value, printed) => expect(formatScore(value)).toBe(printed));

  test.each([
    [0, "0"],
    [0.0521, "0.0521"],
    [1.333333, "1.33"],
    [12.34, "12.3"],
    [99.96, "100"],
    [1023.6, "1,024"],
    [undefined, "-"],
    [Number.NaN, "-"],
  ])("amount %s is printed %s", (value, printed) => expect(formatAmount(value)).toBe(printed));

  test.each([
    [0.000123, "$0.00012"],
    [0.5, "$0.50"],
    [12.345, "$12.35"],
    [undefined, "-"],
  ])("%s dollars are printed %s", (value, printed) => expect(formatUsd(value)).toBe(printed));
});
