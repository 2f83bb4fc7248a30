import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { exactLossP, isIdentical, questionGains } from "../../../src/report/gate/exact.js";
import { gateLines } from "../../../src/report/gate/gate.js";
import type { GatedArm, GatedQuestion } from "../../../src/report/gate/pairs.js";
import { deviation } from "../../../src/statistics/deviation.js";
import { binomialAtMost, netLossP } from "../../../src/statistics/exact-loss.js";
import {
  changed,
  gatedArm,
  gatedQuestions,
  gatedSide,
  gateOf,
  gateSettings,
  rated,
  replies,
  yesNo,
} from "../../helpers/gated-arm.js";

const at = (margin: number) => ({ margin: () => margin });

describe("the margin", () => {
  const questions = changed(40);

  test("is exact: a line passes from that margin on which its lower bound reaches", () => {
    const { low } = gateOf(questions);
    expect(gateOf(questions, at(-low!)).verdict).toBe("pass");
    expect(gateOf(questions, at(-low! * 0.999)).verdict).not.toBe("pass");
  });

  test("is exact: a line regresses up to that margin which its upper bound reaches", () => {
    const { high } = gateOf(questions);
    const step = 1 / questions.length; // the resampled scores are whole answers
    expect(gateOf(questions, at(-high! - step)).verdict).toBe("regress");
    expect(gateOf(questions, at(-high! + step)).verdict).toBe("inconclusive");
  });

  test("is shown to be passed by a p of alpha itself", () => {
    const { holm } = gateOf(changed(12));
    expect(holm).toBeGreaterThan(0.001);
    expect(gateOf(changed(12), { alpha: holm! }).verdict).toBe("regress");
  });

  test("belongs to the metric", () => {
    const lines = gateLines([{ arm: gatedArm(changed(30)), metrics: [yesNo, macroF1(["yes", "no"])] }], {
      ...gateSettings,
      margin: (name) => (name === "accuracy" ? 0.9 : 0.01),
    });
    expect(lines.map(({ metric, margin, verdict }) => [metric, margin, verdict])).toEqual([
      ["accuracy", 0.9, "pass"],
      ["f1", 0.01, "regress"],
    ]);
  });

  test("of 0 needs a shown gain, which no number of questions gives an unchanged run", () => {
    expect(gateOf(changed(8, 62), at(0)).needed).toBeUndefined();
    expect(gateOf(changed(0, 60), at(0))).toMatchObject({ verdict: "pass", gain: 0.25 });
  });

  test("needs as many questions as a one-sided test of the mean with 80 % power", () => {
    const questions = gatedQuestions(
      Array(10).fill(replies(1)),
      [0, 0, 0, 0, 1, 1, 1, 1, 1, 1].map((hit) => replies(hit)),
    );
    const spread = deviation([-1, -1, -1, -1, 0, 0, 0, 0, 0, 0])!;
    const line = gateOf(questions, { ...at(0.1), resamples: 20_000 });
    expect(line.needed! / ((2.4865 * spread) / 0.1) ** 2).toBeCloseTo(1, 1);
    expect(gateOf(questions, at(0.95)).needed).toBe(10);
  });
});

describe("few questions", () => {
  const of = (count: number, perUser = 1) =>
    gatedQuestions(Array(count).fill(replies(1)), Array(count).fill(replies(0)), perUser);

  test("are resampled by user from ten users on, by themselves below, and not at all below ten", () => {
    expect(gateOf(of(10))).toMatchObject({ over: "users", users: 10, questions: 10, verdict: "regress" });
    expect(gateOf(of(18, 2))).toMatchObject({ over: "questions", users: 9, questions: 18, verdict: "regress" });
    expect(gateOf(of(9), at(0.9))).toMatchObject({
      over: "questions",
      verdict: "inconclusive",
      gain: -1,
      low: undefined,
      high: undefined,
      p: undefined,
      holm: undefined,
      needed: 10,
    });
  });

  test("have no part in the correction of other lines", () => {
    const arms = [of(4), changed(12), of(4)].map((questions) => ({ arm: gatedArm(questions), metrics: [yesNo] }));
    const alone = gateOf(changed(12));
    const lines = gateLines(arms, gateSettings);
    expect(lines.map(({ holm }) => holm)).toEqual([undefined, alone.p, undefined]);
  });

  test("that are none for want of gold are refused, and none because they failed is a finding", () => {
    const judged = (leftOut: Partial<GatedArm["leftOut"]>) => () =>
      gateLines(
        [{ arm: gatedArm([], { leftOut: { ...gatedArm([]).leftOut, ...leftOut } }), metrics: [yesNo] }],
        gateSettings,
      );
    expect(judged({ noGold: 3 })).toThrow(UsageError);
    expect(judged({ noGold: 3 })).toThrow("its 3 questions have no gold answers");
    const some = gatedArm(of(10), { leftOut: { ...gatedArm([]).leftOut, noGold: 3 } });
    expect(gateLines([{ arm: some, metrics: [yesNo] }], gateSettings)).toMatchObject([{ questions: 10 }]);
    for (const leftOut of [{ noGold: 3, failed: 1 }, { noGold: 3, absent: 1 }, { failed: 2 }, {}])
      expect(judged(leftOut)()).toMatchObject([
        { verdict: "inconclusive", baseline: undefined, candidate: undefined, gain: undefined, questions: 0 },
      ]);
  });
});

describe("the values of a line", () => {
  test("are the official readings of either side, and its gain counts upwards", () => {
    const questions = gatedQuestions(Array(12).fill(rated("4")), [
      ...Array(8).fill(rated("3")),
      ...Array(4).fill(rated("5")),
    ]);
    const [error, corpus] = gateLines([{ arm: gatedArm(questions), metrics: [mae, rmse] }], gateSettings);
    expect(error).toMatchObject({ baseline: 1, candidate: 8 / 12, changed: 12 });
    expect(error!.gain).toBeCloseTo(4 / 12, 12);
    expect(corpus!.gain).toBeCloseTo(1 - Math.sqrt(16 / 12), 12);
    expect(gateOf(changed(30, 70))).toMatchObject({
      baseline: 60 / 80,
      candidate: 40 / 80,
      gain: -20 / 80,
      changed: 40,
    });
  });

  test("have the spread of either side's repeats, and none of one repeat", () => {
    const [baseline, candidate] = [
      { ...gatedSide, repeats: 2 },
      { ...gatedSide, repeats: 3 },
    ];
    const questions = gatedQuestions(
      Array(10).fill(replies(1, 0)),
      Array.from({ length: 10 }, (_, q) => replies(1, q < 5 ? 1 : 0, 0)),
    );
    const [line] = gateLines([{ arm: gatedArm(questions, { baseline, candidate }), metrics: [yesNo] }], gateSettings);
    expect(line!.spread.baseline).toBeCloseTo(Math.SQRT1_2, 12);
    expect(line!.spread.candidate).toBeCloseTo(0.5, 12);
    expect(line).toMatchObject({ baseline: 0.5, candidate: 0.5 });
    expect(gateOf(changed(30)).spread).toEqual({});
  });

  test("count a question's labels once, however often it was repeated", () => {
    const labels = ["yes", "no"];
    const repeated = { ...gatedSide, repeats: 3 };
    const yes = gatedQuestions(Array(20).fill(replies(1, 1, 1)), Array(20).fill(replies(1, 1, 1)));
    const no = Array.from({ length: 3 }, (_, q) => {
      const said = Array(3).fill({ prediction: "no", gold: "no" });
      return { id: `n${q}`, user: `n${q}`, baseline: [undefined, ...said.slice(1)], candidate: said };
    });
    const arm = gatedArm([...yes, ...no], { baseline: repeated, candidate: repeated });
    expect(gateLines([{ arm, metrics: [macroF1(labels)] }], gateSettings)[0]!.sparseLabels).toBe(1);
  });
});

describe("the exact test", () => {
  test("is asked of right and wrong answers while fewer than twenty of them changed", () => {
    expect(exactLossP(yesNo, changed(19), 0.3)?.p).toBe(netLossP({ worse: 19, better: 0, count: 80 }, 0.3));
    expect(exactLossP(yesNo, changed(9, 70), 0.3)?.p).toBe(netLossP({ worse: 9, better: 10, count: 80 }, 0.3));
    expect(exactLossP(yesNo, changed(10, 70), 0.3)).toBeUndefined();
    expect(gateOf(changed(10, 70), at(0.3)).exactP).toBeUndefined();
  });

  test("is asked of other values while fewer than ten of them changed, a loss counting as the largest there is", () => {
    const lost = (worse: number, better: number, to = "4") =>
      gatedQuestions(
        Array.from({ length: 50 }, (_, q) => rated(q < worse ? "3" : q < worse + better ? "4" : "3")),
        Array.from({ length: 50 }, (_, q) => rated(q < worse ? to : "3")),
      );
    expect(exactLossP(mae, lost(5, 4), 0.4)?.p).toBeCloseTo(binomialAtMost(5, 50, 0.1), 12);
    expect(exactLossP(mae, lost(5, 5), 0.4)).toBeUndefined();
    // A reply outside the scale loses more than the scale has.
    expect(exactLossP(mae, lost(2, 0, "11"), 0.4)?.p).toBeCloseTo(binomialAtMost(2, 50, 0.05), 12);
    expect(exactLossP(mae, lost(2, 0, "11"), 0.4)?.needed(0.05)).toBe(59);
    expect(exactLossP(mae, lost(2, 0), 0.4)?.needed(0.05)).toBe(29);
  });

  test("leaves a repeat that failed out of its question's value", () => {
    for (const hit of [0, 1]) {
      const failed = gatedQuestions([[undefined, ...replies(hit)]], [replies(hit, hit)]);
      expect(questionGains(yesNo, failed)).toEqual({ worse: 0, better: 0, answers: true, largest: 0 });
    }
  });

  test("takes a metric of which it is not known how much a question can lose by its readings", () => {
    const { most: _, ...plain } = mae;
    const questions = gatedQuestions(Array(40).fill(rated("3")), [rated("4"), ...Array(39).fill(rated("3"))]);
    expect(exactLossP(plain, questions, 0.1)?.p).toBeCloseTo(binomialAtMost(1, 40, 0.1), 12);
    expect(exactLossP({ ...rmse, most: 4 }, questions, 0.1)?.p).toBeCloseTo(binomialAtMost(1, 40, 0.1), 12);
  });

  test("with unequal repeats takes a question for unchanged only where all its readings are the same", () => {
    const changedOf = (before: GatedQuestion["baseline"], now: GatedQuestion["candidate"]) => {
      const same = gatedQuestions(Array(39).fill(rated("3")), Array(39).fill(rated("3", "3")));
      const { p } = exactLossP(rmse, [...same, ...gatedQuestions([before], [now])], 0.1)!;
      return [0, 1].find((changed) => Math.abs(p - binomialAtMost(changed, 40, 0.1)) < 1e-12);
    };
    expect(changedOf(rated("4"), rated("4", "4"))).toBe(0);
    expect(changedOf(rated("4"), rated("4", "5"))).toBe(1);
    expect(changedOf(rated("4"), [...rated("4"), undefined])).toBe(1);
    expect(changedOf(rated("4", "5"), rated("4", "4"))).toBe(1);
  });

  test("takes means of repeats for no answers, but for values between them", () => {
    const half = gatedQuestions(Array(50).fill(replies(1, 1)), [replies(1, 0), ...Array(49).fill(replies(1, 1))]);
    expect(questionGains(yesNo, half)).toEqual({ worse: 1, better: 0, answers: false, largest: 0.5 });
    expect(exactLossP(yesNo, half, 0.1)?.p).toBeCloseTo(binomialAtMost(1, 50, 0.1), 12);
  });

  test("is asked of readings where a question has no value of its own, while fewer than ten of them changed", () => {
    const read = (count: number) =>
      gatedQuestions(
        Array(40).fill(rated("3")),
        Array.from({ length: 40 }, (_, q) => rated(q < count ? "4" : "3")),
      );
    expect(exactLossP(rmse, read(9), 0.5)?.p).toBeCloseTo(binomialAtMost(9, 40, 0.5), 12);
    expect(exactLossP(rmse, read(10), 0.5)).toBeUndefined();
    expect(exactLossP(rmse, [], 0.5)).toBeUndefined();
    expect(questionGains(rmse, read(9))).toBeUndefined();
    expect(questionGains(mae, [])).toBeUndefined();
  });

  test("decides where a line's bound is within the margin: a pass needs its p to be at most alpha", () => {
    const line = gateOf(changed(1), at(0.055));
    expect(line.low).toBeGreaterThanOrEqual(-0.055);
    expect(line.exactP).toBeGreaterThan(0.05);
    expect(line.verdict).toBe("inconclusive");
    expect(gateOf(changed(1), { ...at(0.055), alpha: line.exactP! }).verdict).toBe("pass");
  });
});

describe("the same requests with the same answers", () => {
  const asked = { ...gatedSide, requests: ["r0", "r1"], repeats: 2 };
  const same = gatedQuestions([replies(1, 0), replies(0, 0)], [replies(1, 0), replies(0, 0)]);
  const identical = (over: Partial<GatedArm["candidate"]> = {}, more: Partial<GatedArm> = {}) =>
    isIdentical(gatedArm(same, { baseline: asked, candidate: { ...asked, ...over }, ...more }));

  test("are identical", () => expect(identical()).toBe(true));

  test.each([
    ["another model", () => identical({ model: "x/z" })],
    ["another request in one repeat", () => identical({ requests: ["r0", "r2"] })],
    ["requests known of one repeat only", () => identical({ requests: ["r0"] })],
    ["a repeat more", () => identical({ requests: ["r0", "r1", "r2"], repeats: 3 })],
    ["a repeat fewer", () => identical({ requests: ["r0"], repeats: 1 })],
    ["unknown requests of the baseline", () => identical({}, { baseline: { ...asked, requests: [] } })],
    ["an answer that failed", () => identical({}, { leftOut: { absent: 0, added: 0, failed: 1, noGold: 0 } })],
    ["an answer that is absent", () => identical({}, { leftOut: { absent: 1, added: 0, failed: 0, noGold: 0 } })],
    ["no question", () => identical({}, { questions: [] })],
    [
      "one repeat that reads otherwise",
      () => identical({}, { questions: [...same, ...gatedQuestions([replies(1, 0)], [replies(1, 1)])] }),
    ],
    [
      "a repeat that failed in one of them",
      () => identical({}, { questions: [{ ...same[0]!, candidate: [same[0]!.baseline[0], undefined] }] }),
    ],
  ])("with %s are not", (_, judged) => expect(judged()).toBe(false));
});
