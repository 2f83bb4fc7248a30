import { describe, expect, test } from "vitest";
import { macroF1, macroPrecision, mae, rmse } from "../../../src/metrics/index.js";
import { influencesOf } from "../../../src/report/gate/paired-loss.js";
import { repeatScores, scoredQuestions, unreadable } from "../../../src/report/gate/scored.js";
import type { PairedQuestion, Replies } from "../../../src/report/paired.js";
import type { Metric, Pair } from "../../../src/types/index.js";
import { gatedQuestions, rated, replies, yesNo } from "../../helpers/gated-arm.js";

describe("a question of a gate", () => {
  const scored = (metric: Metric, before: Replies, now: Replies, lost: readonly PairedQuestion[] = []) =>
    scoredQuestions(metric, gatedQuestions([before], [now]), lost)!;
  const gainOf = (...given: Parameters<typeof scored>) => scored(...given).questions[0]!.gain;

  test("gains the mean over the run's repeats less that over the baseline's, counted upwards, in squares for RMSE", () => {
    expect(gainOf(yesNo, replies(1, 0), replies(1, 1, 0))).toBeCloseTo(2 / 3 - 1 / 2, 12);
    expect(gainOf(mae, rated("5"), rated("4"))).toBe(1);
    expect(gainOf(rmse, rated("5"), rated("4"))).toBe(3);
    expect([yesNo, mae, rmse].map((metric) => scored(metric, rated("3"), rated("3")).range)).toEqual([1, 4, 16]);
  });

  test("has the worst value where the run failed, and none where the baseline did", () => {
    expect(gainOf(yesNo, replies(1), [replies(1)[0], undefined])).toBe(-1 / 2);
    expect(gainOf(mae, rated("4"), [undefined])).toBe(-3);
    expect(gainOf(rmse, rated("4"), [undefined])).toBe(-15);
    expect(scored(yesNo, [undefined, replies(1)[0]], replies(0)).questions).toEqual([
      { user: "u0", gain: -1, baseline: [undefined, 1], run: [0] },
    ]);
  });

  test("that is absent and whose gold nobody knows counts as the largest loss", () => {
    const gone = [{ id: "gone", user: "v", baseline: [], candidate: [undefined] }];
    expect(scored(mae, rated("3"), rated("3"), gone).questions[1]).toMatchObject({ user: "v", gain: -4 });
    expect(scored(yesNo, replies(1), replies(1), gone).questions[1]).toMatchObject({ gain: -1 });
  });

  test("can lose as much as any answer did, also beyond the scale, and gain no more than the baseline's did", () => {
    expect(scored(mae, rated("3", "9"), rated("3"))).toMatchObject({ range: 6, mostGain: 6 });
    expect(scored(mae, rated("3"), rated("9"))).toMatchObject({ range: 6, mostGain: 4 });
    expect(gainOf(mae, rated("3", "9"), [undefined])).toBe(-3);
  });

  test("has no value of its own by a mean over labels, or by a metric whose largest loss is not known", () => {
    const { most: _, ...open } = yesNo;
    for (const metric of [macroF1(["yes", "no"]), { ...macroF1(["yes", "no"]), most: 1 }, open])
      expect(scoredQuestions(metric, gatedQuestions([replies(1)], [replies(1)]), [])).toBeUndefined();
  });
});

test("a repeat's score is the mean over the questions that it answered; one without any is no repeat", () => {
  const [yes, no] = [replies(1)[0], replies(0)[0]];
  const questions = gatedQuestions(
    [
      [yes, undefined, undefined],
      [yes, no, undefined],
      [no, undefined, undefined],
    ],
    [replies(1, 0), replies(1, 1), replies(0, 0)],
  );
  const scored = scoredQuestions(yesNo, questions, [])!;
  expect(repeatScores(scored, "baseline")).toEqual([2 / 3, 0]);
  expect(repeatScores(scored, "run")).toEqual([2 / 3, 1 / 3]);
});

test("an answer that failed reads as the empty text, which is right nowhere", () =>
  expect(unreadable([undefined, { prediction: "yes", gold: "no" }], "yes")).toEqual([
    { prediction: "", gold: "yes" },
    { prediction: "yes", gold: "no" },
  ]));

describe("what a question contributes to a mean over labels", () => {
  const labels = ["a", "b", "c"];
  const said = (both: string): (Pair | undefined)[] =>
    both
      .split(" ")
      .map((word) => (word === "-" ? undefined : { prediction: word[0] === "?" ? "" : word[0]!, gold: word[1]! }));
  const one = [said("aa"), said("aa"), said("ba"), said("bb"), said("cb"), said("?c"), said("cc")];

  /** By how much the score moves where this answer is there a millionth of a time more. */
  const moved = (metric: Metric, pairs: readonly Pair[], pair: Pair): number => {
    const [sums, more] = [new Float64Array(metric.width), new Float64Array(metric.width)];
    for (const known of pairs) metric.add(known, sums);
    metric.add(pair, more);
    const nearby = sums.map((sum, slot) => sum + more[slot]! * 1e-6);
    return (metric.value(nearby, pairs.length) - metric.value(sums, pairs.length)) / 1e-6;
  };
  const pairsOf = (questions: readonly (readonly (Pair | undefined)[])[]) =>
    questions.flatMap(([pair]) => (pair === undefined ? [] : [pair]));

  test("is what a little more of its answer moves the score by, and what a little of an unreadable one costs", () => {
    const metric = macroF1(labels);
    const { contributions, unread, score } = influencesOf(metric, one);
    const pairs = pairsOf(one);
    expect(score).toBeCloseTo((4 / 5 + 2 / 4 + 2 / 4) / 3, 12);
    for (const [q, pair] of pairs.entries()) {
      expect(contributions[q]).toBeCloseTo(moved(metric, pairs, pair), 5);
      expect(unread[q]).toBeCloseTo(-moved(metric, pairs, { prediction: "", gold: pair.gold }), 5);
    }
    expect(contributions.reduce((sum, part) => sum + part, 0)).toBeCloseTo(0, 12);
  });

  test("where an unreadable answer costs nothing is set against the label whose wrong answer costs most", () => {
    const metric = macroPrecision(labels);
    const { contributions, unread } = influencesOf(metric, one);
    const pairs = pairsOf(one);
    const costs = labels.map((prediction) => -moved(metric, pairs, { prediction, gold: "" }));
    for (const [q, pair] of pairs.entries()) {
      expect(contributions[q]).toBeCloseTo(moved(metric, pairs, pair), 5);
      expect(unread[q]).toBeCloseTo(Math.max(...costs), 5);
    }
    expect(new Set(costs.map((cost) => cost.toFixed(5))).size).toBeGreaterThan(1);
  });

  test("of repeats is the mean over them, and a repeat in which it failed adds nothing", () => {
    const metric = macroF1(labels);
    const both = [said("aa ba"), said("aa -"), said("bb bb"), said("cb bb"), said("cc cc")];
    const { contributions, unread, score, repeats } = influencesOf(metric, both);
    const each = [0, 1].map((r) =>
      influencesOf(
        metric,
        both.map((replies) => replies.slice(r, r + 1)),
      ),
    );
    expect(repeats).toEqual(each.map((own) => own.score));
    expect(score).toBeCloseTo((each[0]!.score + each[1]!.score) / 2, 12);
    for (const q of both.keys()) {
      expect(contributions[q]).toBeCloseTo((each[0]!.contributions[q]! + each[1]!.contributions[q]!) / 2, 12);
      expect(unread[q]).toBeCloseTo((each[0]!.unread[q]! + each[1]!.unread[q]!) / 2, 12);
    }
    expect(each[1]!.contributions[1]).toBe(0);
    const silent = influencesOf(
      metric,
      one.map((replies) => [...replies, undefined]),
    );
    expect(silent).toEqual(influencesOf(metric, one));
  });
});
