import { describe, expect, test } from "vitest";
import type { GatedArm } from "../../../src/report/gate/pairs.js";
import { checkBudget, checkCassette, checkFailedRows, remarksOf, verdictOf } from "../../../src/report/gate/result.js";
import { changed, gatedArm, gatedSide, gateOf } from "../../helpers/gated-arm.js";

describe("conditions", () => {
  test("hold up to the most that is accepted, itself included", () => {
    expect([checkBudget(2, 2).passed, checkBudget(2.0001, 2).passed]).toEqual([true, false]);
    const arms = (...shares: number[]) => shares.map((failedShare) => gatedArm([], { failedShare }));
    expect(checkFailedRows(arms(0.01, 0.05, 0.02), 0.05)).toEqual({
      name: "failed-rows",
      passed: true,
      finding: "5.0 % of the answers of t m failed or are absent, at most 5.0 % accepted",
    });
    expect(checkFailedRows(arms(0.01, 0.05, 0.02), 0.049).passed).toBe(false);
    for (const none of [arms(0, 0), []])
      expect(checkFailedRows(none, 0)).toMatchObject({
        passed: true,
        finding: expect.stringMatching(/^0\.0 % of the answers failed/),
      });
  });

  test("a replay is fresh while its cassette holds every request", () => {
    expect(checkCassette({ cassette: "0123456789abcdef", stale: 0 })).toEqual({
      name: "stale-cassette",
      passed: true,
      finding: "all requests are in cassette 0123456789ab",
    });
    expect(checkCassette({ cassette: "0123456789abcdef", stale: 1 })).toMatchObject({
      passed: false,
      finding: "1 request is not in cassette 0123456789ab: record it again",
    });
  });

  test("that hold change no verdict", () => {
    const held = [checkBudget(1, 2), checkCassette({ cassette: "c", stale: 0 }), checkFailedRows([], 0)];
    expect(verdictOf([gateOf(changed(0), { margin: () => 0.3 })], held, [])).toEqual({ verdict: "pass", fails: false });
    expect(verdictOf([], held, [])).toEqual({ verdict: "pass", fails: false });
  });
});

describe("remarks", () => {
  const remarked = (now: Partial<GatedArm["candidate"]>, before: Partial<GatedArm["baseline"]> = {}, leftOut = {}) =>
    remarksOf([
      gatedArm([], {
        baseline: { ...gatedSide, ...before },
        candidate: { ...gatedSide, ...now },
        leftOut: { ...gatedArm([]).leftOut, ...leftOut },
      }),
    ]);

  test("name what was left out, with its number, and nothing where nothing was", () => {
    expect(remarked({})).toEqual([]);
    expect(remarked({}, {}, { onlyA: 1, onlyB: 2, failed: 3, noGold: 4 })).toEqual([
      "t m: left out: 1 question absent from the run, 2 questions absent from the baseline, 3 questions failed in one of them, 4 questions without gold",
    ]);
    expect(remarked({}, {}, { failed: 3 })).toEqual(["t m: left out: 3 questions failed in one of them"]);
  });

  test.each([
    [{ model: "x/z" }, {}, "model x/y became x/z"],
    [{ data: { ...gatedSide.data, units: "other" } }, {}, "visible histories or questions differ"],
    [{ data: { ...gatedSide.data, wording: "other" } }, {}, "the task's wording differs"],
    [{ seed: 3 }, {}, "seed 0 became 3"],
    [
      { options: { k: 2, same: 1, added: true } },
      { options: { k: 1, same: 1, gone: "x" } },
      "k 1 became 2, gone x became absent, added absent became true",
    ],
    [{ requests: ["a", "c"] }, { requests: ["a", "b"] }, "requests differ"],
  ])("name what changed since the baseline: %o", (now, before, text) => {
    expect(remarked(now, before)).toEqual([`t m: changed since the baseline: ${text}`]);
  });

  test("say nothing of requests that one of them does not know", () => {
    expect(remarked({ requests: ["a"] })).toEqual([]);
    expect(remarked({ requests: ["a"] }, { requests: ["a", "b"] })).toEqual([]);
    expect(remarked({ requests: ["a", "b"] }, { requests: ["a"] })).toEqual([]);
  });
});
