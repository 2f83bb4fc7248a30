import { describe, expect, test } from "vitest";
import { commonLines, jaccardMatrix, jaccardReport } from "../../../src/report/personas/jaccard.js";

describe("words that personas share", () => {
  test("are counted as sets of lower-cased words", () => {
    expect(jaccardMatrix(["You like Sci-Fi.", "you LIKE comedy"])).toEqual([
      [1, 2 / 5],
      [2 / 5, 1],
    ]);
    expect(jaccardMatrix(["don't", "dont"])[0]?.[1]).toBe(0);
  });

  test("are told with and without the template's, pairs of different users only", () => {
    const report = jaccardReport(["be kind a", "be kind b", "be kind a"], "Be kind");
    expect(report).toMatchObject({ texts: 3, pairs: 3, all: { median: 0.5, max: 1 } });
    expect(report.withoutTemplate).toEqual({ mean: (0 + 1 + 0) / 3, median: 0, max: 1 });
    expect(jaccardReport(["alone"], "")).toMatchObject({ pairs: 0, all: undefined });
  });

  test("the template is what all first personas have in common", () => {
    expect(commonLines(["head\nu1\nrules", "head\nu2\nrules"])).toBe("head\nrules");
  });
});
