import { describe, expect, test } from "vitest";
import { macroF1, rmse } from "../../../src/metrics/index.js";
import type { Claim } from "../../../src/report/gate/claims.js";
import { gateLines } from "../../../src/report/gate/gate.js";
import type { GatedArm } from "../../../src/report/gate/pairs.js";
import { planOf } from "../../../src/report/gate/planner.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Metric } from "../../../src/types/index.js";
import { changed, gatedArm, gatedSide, gateOf, gateSettings, replies, yesNo } from "../../helpers/gated-arm.js";

type Settings = Parameters<typeof gateLines>[1];
const lineOf = (
  questions: readonly PairedQuestion[],
  arm: Partial<GatedArm> = {},
  settings: Partial<Settings> = {},
  metric: Metric = yesNo,
) => gateLines([{ arm: gatedArm(questions, arm), metrics: [metric] }], { ...gateSettings, ...settings })[0]!;
const unplanned = { margin: () => undefined };
const { most: _, ...open } = yesNo;
const leftOut = gatedArm([]).leftOut;
const gone = (baseline: PairedQuestion["baseline"]): PairedQuestion => ({
  id: "gone",
  user: "v",
  baseline,
  candidate: [undefined],
});

describe("a line without a question", () => {
  test("knows nothing, under any claim: neither a loss nor a pass, nor what changed", () => {
    for (const claim of ["answers", "set", "users"] as const)
      expect(lineOf([], {}, { claim })).toMatchObject({
        verdict: "unsure",
        reach: "none",
        shown: "none",
        gain: undefined,
        changed: undefined,
      });
  });

  test("is refused for want of gold alone, in the words of one question or of several", () => {
    const refused =
      (noGold: number, arm: Partial<GatedArm> = {}) =>
      () =>
        lineOf([], { leftOut: { ...leftOut, noGold }, ...arm });
    expect(refused(1)).toThrow("t m: its question has no gold answer");
    expect(refused(2)).toThrow("t m: its 2 questions have no gold answer");
    expect(refused(2, { lost: [gone(replies(1))] })()).toMatchObject({ verdict: "unsure", lost: 1 });
    expect(lineOf(changed(0), { leftOut: { ...leftOut, noGold: 2 } })).toMatchObject({ questions: 80 });
  });
});

describe("a line of a metric whose largest loss is unknown", () => {
  test("reaches no claim but the one of its answers, has no p, and needs no number of users", () => {
    const line = lineOf(changed(0), {}, {}, open);
    expect(line).toMatchObject({ verdict: "unsure", reach: "none", shock: "unknown" });
    expect(line).toMatchObject({ needed: { users: undefined, margin: undefined }, bounds: { set: undefined } });
    expect(lineOf(changed(0), {}, { claim: "answers" }, open)).toMatchObject({ verdict: "pass", reach: "answers" });
  });

  test("has no planned margin: it is 0", () =>
    expect(lineOf(changed(0), {}, unplanned, open)).toMatchObject({ margin: 0, marginFrom: "planner" }));

  test("pays nothing for company, wherever it stands", () => {
    const tested = { arm: gatedArm(changed(13)), metrics: [yesNo] };
    const untested = { arm: gatedArm(changed(13)), metrics: [open] };
    const alone = gateOf(changed(13));
    for (const [arms, at] of [[[untested, tested], 1] as const, [[tested, untested], 0] as const]) {
      const lines = gateLines(arms, gateSettings);
      expect(lines[at]!.p).toEqual(alone.p);
      expect(lines[1 - at]!.p).toMatchObject({ regress: undefined, holm: undefined, worseHolm: undefined });
    }
  });
});

describe("a margin", () => {
  const planned = (claim: "set" | "users", questions = changed(1)) =>
    planOf(yesNo, questions, gateSettings)!.margins![claim];

  test("that nobody gave is the planned one, also where the baseline has margins of other metrics only", () => {
    for (const claim of ["set", "users"] as const) {
      expect(lineOf(changed(1), {}, { claim, ...unplanned })).toMatchObject({
        margin: planned(claim),
        marginFrom: "planner",
      });
      const baseline = { ...gatedSide, margins: { f1: { set: 0.5, users: 0.5 } } };
      expect(lineOf(changed(1), { baseline }, { claim, ...unplanned }).margin).toBe(planned(claim));
    }
  });

  test("is planned from what the baseline answered: a question without its answers counts for nothing", () => {
    for (const baseline of [[], [undefined]])
      expect(
        lineOf(
          changed(1),
          { lost: Array.from({ length: 40 }, (_, q) => ({ ...gone(baseline), id: `gone${q}`, user: `v${q}` })) },
          unplanned,
        ).margin,
      ).toBe(planned("set"));
    const some = changed(1).map((question, q) => ({
      ...question,
      baseline: q % 4 ? replies(1, 0) : [undefined, ...replies(1)],
    }));
    expect(planned("set", some)).not.toBe(
      planned(
        "set",
        some.filter((_, q) => q % 4),
      ),
    );
    expect(lineOf(some, {}, unplanned).margin).toBe(planned("set", some));
  });

  test("is wide enough for an unchanged run from the smallest one on, itself included; of answers any is", () => {
    const { smallest } = planOf(yesNo, changed(1), gateSettings)!;
    for (const claim of ["set", "users"] as const) {
      const feasible = (margin: number) => lineOf(changed(1), {}, { claim, margin: () => margin }).feasible;
      expect([feasible(smallest[claim]), feasible(smallest[claim] - 1e-6)]).toEqual([true, false]);
    }
    expect(lineOf(changed(1), {}, { claim: "answers", margin: () => 0 }).feasible).toBe(true);
  });
});

describe("what a line needs", () => {
  test("is told of a doubt only: users that let an unchanged run pass at its margin, and the margin that these do", () => {
    const doubt = gateOf(changed(2));
    const plan = planOf(yesNo, changed(2), gateSettings)!;
    expect(doubt).toMatchObject({ verdict: "unsure" });
    expect(doubt.needed).toEqual({ users: plan.neededUsers("set", 0.05), margin: plan.margins!.set });
    for (const known of [gateOf(changed(2), { margin: () => 0.4 }), gateOf(changed(30))])
      expect(known.needed).toEqual({ users: undefined, margin: undefined });
    expect(gateOf(changed(0), { margin: () => 0 }).needed.users).toBeUndefined();
  });
});

test("labels that are too rare keep a mean over them from every claim beyond its answers, however small its p's", () => {
  const f1 = macroF1(["yes", "no"]);
  const rare = changed(0).map((question, q) =>
    q < 3
      ? { ...question, baseline: [{ prediction: "no", gold: "no" }], candidate: [{ prediction: "no", gold: "no" }] }
      : { ...question, baseline: replies(1), candidate: replies(1) },
  );
  const judged = (claim: Claim) => lineOf(rare, {}, { claim, margin: () => 0.9 }, f1);
  expect(judged("users").p.users).toBeLessThan(0.05);
  expect(judged("set").p.set).toBeLessThan(0.05);
  expect(judged("answers")).toMatchObject({ verdict: "pass", reach: "answers" });
  for (const claim of ["set", "users"] as const)
    expect(judged(claim)).toMatchObject({ verdict: "unsure", reach: "answers" });
});

test("each claim holds those before it: the reach is the farthest of them without a gap", () => {
  const reached = (margin: number) => gateOf(changed(1), { claim: "answers", margin: () => margin });
  expect([0, 0.0125, 0.06, 0.5].map((margin) => reached(margin).reach)).toEqual(["none", "answers", "set", "users"]);
  const error = changed(0).map((question) => ({
    ...question,
    baseline: [{ prediction: "2", gold: "3" }],
    candidate: [{ prediction: "2", gold: "3" }],
  }));
  expect(lineOf(error, {}, { margin: () => 3 }, rmse)).toMatchObject({ verdict: "pass", reach: "users" });
});
