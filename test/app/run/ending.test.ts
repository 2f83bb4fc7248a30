import { describe, expect, test } from "vitest";
import { ending, failuresOf } from "../../../src/app/run/ending.js";
import type { Row } from "../../../src/types.js";

const failed = (question: string, error: string): Row => ({
  cell: "cell",
  unit: "u1",
  user: "u1",
  question,
  outcome: { kind: "failed", error },
  spend: {},
  incidents: {},
});

describe("a run that asked all its questions", () => {
  const ended = (count: number, maxFailed: number) =>
    ending(undefined, { questions: 10, failed: count, shown: "results/x" }, { maxFailed }).ended;

  test("is done while the share of failed ones is at most --max-failed, equal included", () =>
    expect([ended(0, 0), ended(1, 0.1), ended(2, 0.1), ended(1, 0), ended(10, 1)]).toEqual([
      "done",
      "done",
      "failures",
      "failures",
      "done",
    ]));
});

describe("the reasons of failures", () => {
  test("begin with the most frequent one, its count and its first question, and say how many others there are", () => {
    const rows = [failed("q1", "rare"), failed("q2", "common"), failed("q3", "common"), failed("q4", "odd")];
    expect(failuresOf(rows, "results/x")).toEqual([
      "failed, 2 times: common (and 2 other reasons)",
      "more: lamp-eval show results/x --question q2",
    ]);
    expect(failuresOf([], "results/x")).toEqual([]);
  });
});
