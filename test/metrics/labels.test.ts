import { describe, expect, it } from "vitest";
import { accuracy } from "../../src/metrics/accuracy.js";
import { macroF1, macroPrecision, macroRecall } from "../../src/metrics/macro.js";
import { labelIndex, MOVIE_LABELS } from "../../src/metrics/official-labels.js";
import { scoreAll } from "../../src/metrics/score-all.js";

const labels = ["a", "b", "c"];
const pair = (prediction: string, gold: string) => ({ prediction, gold });

describe("label index", () => {
  it("strips Python whitespace, then compares exactly", () => {
    expect(labelIndex(labels, "\u001cb\u0085")).toBe(1);
    expect(labelIndex(labels, "B")).toBe(-1);
    expect(labelIndex(labels, "b.")).toBe(-1);
    expect(labelIndex(labels, "\ufeffb")).toBe(-1);
  });

  it("reads values as Python's str(): null is None, the list [1] is the label [1]", () => {
    expect(labelIndex(["None"], null)).toBe(0);
    expect(labelIndex(["[1]", "[2]"], 1)).toBe(-1);
    expect(labelIndex(["[1]", "[2]"], [1])).toBe(0);
    expect(labelIndex(["[1]", "[2]"], ["[1]"])).toBe(-1);
  });
});

describe("accuracy", () => {
  it("counts a foreign gold and a foreign prediction as equal, as officially", () => {
    expect(scoreAll(accuracy(labels), [pair("x", "y"), pair("a", "b")])).toBe(0.5);
  });
});

describe("macro metrics", () => {
  const pairs = [pair("a", "a"), pair("a", "b"), pair("b", "b"), pair("x", "b")];

  it("divide by all labels, also those that never occur", () => {
    // a: P 1/2, R 1; b: P 1, R 1/3; c absent
    expect(scoreAll(macroPrecision(labels), pairs)).toBeCloseTo((0.5 + 1) / 3, 15);
    expect(scoreAll(macroRecall(labels), pairs)).toBeCloseTo((1 + 1 / 3) / 3, 15);
    expect(scoreAll(macroF1(labels), pairs)).toBeCloseTo((2 / 3 + 1 / 2) / 3, 15);
  });

  it("give one correct answer of fifteen labels an F1 of 1/15", () => {
    expect(scoreAll(macroF1(MOVIE_LABELS), [pair("comedy", "comedy")])).toBe(1 / 15);
  });

  it("count every answer: three right of four and one taken for another label", () => {
    const many = [pair("a", "a"), pair("a", "a"), pair("a", "a"), pair("a", "b")];
    expect(scoreAll(macroPrecision(labels), many)).toBeCloseTo(3 / 4 / 3, 15);
    expect(scoreAll(macroRecall(labels), many)).toBeCloseTo(1 / 3, 15);
    expect(scoreAll(macroF1(labels), many)).toBeCloseTo(6 / 7 / 3, 15);
  });

  it("let a foreign gold cost precision", () => {
    expect(scoreAll(macroPrecision(labels), [pair("a", "a"), pair("a", "y")])).toBeCloseTo(0.5 / 3, 15);
  });
});

describe("contributions", () => {
  it("add up at an offset, so that sums of parts give the score of the whole", () => {
    const metric = macroF1(labels);
    const pairs = [pair("a", "a"), pair("b", "c"), pair("c", "c")];
    const sums = new Float64Array(2 + metric.sumCount);
    for (const one of pairs) metric.add(one, sums, 2);
    expect([...sums.subarray(0, 2)]).toEqual([0, 0]);
    expect(metric.value(sums.subarray(2), 3)).toBe(scoreAll(metric, pairs));
  });

  it("of labels that are none leave the sums of others alone", () => {
    const metric = macroF1(labels);
    const sums = new Float64Array(2 * metric.sumCount);
    metric.add(pair("x", "y"), sums, metric.sumCount);
    expect(sums.some((sum) => sum !== 0)).toBe(false);
  });
});
