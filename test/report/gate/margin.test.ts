import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { gateLines } from "../../../src/report/gate/gate.js";
import type { GatedArm } from "../../../src/report/gate/pairs.js";
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
    for (const claim of ["set", "users"] as const) {
      const { bounds } = gateOf(questions, { claim });
      const low = claim === "set" ? bounds.set!.low : Math.min(bounds.set!.low, bounds.users!.low);
      expect(gateOf(questions, { claim, ...at(-low + 1e-9) }).verdict).toBe("pass");
      expect(gateOf(questions, { claim, ...at(-low * 0.999) }).verdict).not.toBe("pass");
    }
  });

  test("is exact: a loss beyond it is shown up to that margin which the upper bound reaches", () => {
    const { high } = gateOf(questions).bounds.set!;
    expect(gateOf(questions, at(-high - 1e-9)).shown).toBe("beyond margin");
    expect(gateOf(questions, at(-high + 1e-6)).shown).toBe("loss");
  });

  test("is shown to be passed by a p of alpha itself", () => {
    const { p } = gateOf(changed(13));
    expect(p.holm).toBeGreaterThan(0.001);
    expect(gateOf(changed(13), { alpha: p.holm! }).verdict).toBe("fail");
  });

  test("belongs to the metric", () => {
    const lines = gateLines([{ arm: gatedArm(changed(30)), metrics: [yesNo, macroF1(["yes", "no"])] }], {
      ...gateSettings,
      margin: (name) => (name === "accuracy" ? 0.9 : 0.01),
    });
    expect(lines.map(({ metric, margin, verdict }) => [metric, margin, verdict])).toEqual([
      ["accuracy", 0.9, "pass"],
      ["f1", 0.01, "fail"],
    ]);
  });

  test("of 0 needs a shown gain", () =>
    expect(gateOf(changed(0, 60), at(0))).toMatchObject({ verdict: "pass", gain: 0.25 }));
});

test("questions that are none for want of gold are refused, and none because they failed is a finding", () => {
  const judged = (leftOut: Partial<GatedArm["leftOut"]>) => () =>
    gateLines(
      [{ arm: gatedArm([], { leftOut: { ...gatedArm([]).leftOut, ...leftOut } }), metrics: [yesNo] }],
      gateSettings,
    );
  expect(judged({ noGold: 3 })).toThrow(UsageError);
  expect(judged({ noGold: 3 })).toThrow("its 3 questions have no gold answer");
  for (const leftOut of [{ noGold: 3, failed: 1 }, { noGold: 3, onlyA: 1 }, { failed: 2 }, {}])
    expect(judged(leftOut)()).toMatchObject([
      { verdict: "unsure", baseline: undefined, candidate: undefined, gain: undefined, questions: 0 },
    ]);
});

describe("the values of a line", () => {
  test("are the official readings of either side, and its gain counts upwards", () => {
    const questions = gatedQuestions(Array(12).fill(rated("4")), [
      ...Array(8).fill(rated("3")),
      ...Array(4).fill(rated("5")),
    ]);
    const [error, corpus] = gateLines([{ arm: gatedArm(questions), metrics: [mae, rmse] }], gateSettings);
    expect(error).toMatchObject({ baseline: 1, candidate: 8 / 12, changed: { worse: 4, better: 8, same: 0 } });
    expect(error!.gain).toBeCloseTo(4 / 12, 12);
    expect(corpus!.gain).toBeCloseTo(1 - Math.sqrt(16 / 12), 12);
    expect(gateOf(changed(30, 70))).toMatchObject({
      baseline: 60 / 80,
      candidate: 40 / 80,
      gain: -20 / 80,
      changed: { worse: 30, better: 10, same: 40 },
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
