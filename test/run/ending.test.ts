import { describe, expect, test } from "vitest";
import type { Manifest } from "../../src/record/manifest.js";
import { ending, failuresOf, openTally } from "../../src/run/ending.js";
import type { Row } from "../../src/types/index.js";

const madeUp = {} as Manifest;

const failed = (question: string, error: string): Row => ({
  arm: "arm",
  unit: "u1",
  user: "u1",
  question,
  outcome: { kind: "failed", error },
  spend: {},
  incidents: {},
});

describe("a run that asked all its questions", () => {
  const end = (failed: number, maxFailed: number) =>
    ending(
      { reason: undefined, tally: openTally(madeUp) },
      { questions: 100, failed, unreadable: [], shown: "results/x" },
      { caps: { maxFailed } },
    );

  test.each([["--max-failed", (count: number, most: number) => end(count, most)]])(
    "is done up to %s, equal included",
    (_flag, of) => {
      const ended = [of(0, 0), of(29, 0.29), of(30, 0.29), of(1, 0), of(100, 1)].map(({ ended: how }) => how);
      expect(ended).toEqual(["done", "done", "failures", "failures", "done"]);
    },
  );

  test("names what was too much, each for itself, and what to do", () =>
    expect(end(20, 0.1).remarks).toEqual([
      "20.0 % of the questions failed, more than --max-failed 0.1; the same command tries only those again",
    ]));
});

describe("the reasons of failures", () => {
  test("begin with the most frequent one, its count and its first question, and say how many others there are", () => {
    const rows = [failed("q1", "rare"), failed("q2", "took 12 s"), failed("q3", "took 340 s"), failed("q4", "odd")];
    expect(failuresOf(rows, "results/x")).toEqual([
      "failed, 2 times: took 12 s (and 2 other reasons)",
      "more: lamp-eval show results/x --question q2",
    ]);
    expect(failuresOf([], "results/x")).toEqual([]);
  });
});
