import { describe, expect, it } from "vitest";
import { ScoreError } from "../../src/errors.js";
import { officialRouge, rouge1, rouge2, rougeL, rougeScore } from "../../src/metrics/rouge.js";
import { scoreAll } from "../../src/metrics/score-all.js";

describe("ROUGE", () => {
  it("clips repeated words", () => {
    const { rouge1: one } = rougeScore("the cat", "the the the cat");
    expect(one).toEqual({ precision: 2 / 4, recall: 1, f: (2 * 0.5 * 1) / 1.5 });
  });

  it("counts word pairs for ROUGE-2", () => {
    expect(rougeScore("a b c", "a b d").rouge2.f).toBe(0.5);
    expect(rougeScore("a", "a").rouge2.f).toBe(0);
  });

  it("takes the longest common subsequence over the whole text", () => {
    const { rougeL: longest } = rougeScore("police killed the gunman", "the gunman police killed");
    expect(longest.f).toBe(0.5);
    expect(rougeScore("a b c d", "a x c\nd").rougeL.f).toBe(0.75);
  });

  it("is 0 for empty texts", () => {
    for (const [target, prediction] of [
      ["", ""],
      ["a", ""],
      ["", "a"],
    ] as const)
      expect(rougeScore(target, prediction).rougeL.f).toBe(0);
  });

  it("is averaged over pairs", () => {
    const pairs = [
      { gold: "a b", prediction: "a b" },
      { gold: "a b", prediction: "c" },
    ];
    expect([rouge1, rouge2, rougeL].map((metric) => scoreAll(metric, pairs))).toEqual([0.5, 0.5, 0.5]);
  });
});

describe("the official bootstrap", () => {
  const pairs = ["a b c d", "a b x", "y", "a", "d c b a"].map((prediction) => ({ prediction, gold: "a b c d" }));

  it("repeats for one seed, moves with the seed, and stays near the mean", () => {
    expect(officialRouge(pairs, 7)).toEqual(officialRouge(pairs, 7));
    expect(officialRouge(pairs, 7)).not.toEqual(officialRouge(pairs, 8));
    expect(Math.abs(officialRouge(pairs, 7)["rouge-1"] - scoreAll(rouge1, pairs))).toBeLessThan(0.05);
  });

  // rouge_score's BootstrapAggregator by hand: after np.random.seed(seed) 1000 means of np.random.choice per kind of score,
  // rouge1, rouge2, rougeL in turn, np.percentile(means, 50).
  it.each([
    [4, 0.4385714285714286],
    [8, 0.44],
    [9, 0.4435714285714286],
    [11, 0.42857142857142866],
    [13, 0.4428571428571429],
  ])("after seed %i is numpy's", (seed, longest) => {
    expect(officialRouge(pairs, seed)["rouge-1"]).toBeCloseTo(0.5942857142857143, 14);
    expect(officialRouge(pairs, seed)["rouge-L"]).toBeCloseTo(longest, 14);
  });

  it("of no pairs is none", () => expect(() => officialRouge([], 1)).toThrow(ScoreError));

  it("is the score itself for one pair", () => {
    expect(officialRouge([{ gold: "a b", prediction: "a" }], 1)["rouge-1"]).toBe(2 / 3);
  });

  it("refuses seeds that numpy refuses", () => {
    expect(() => officialRouge(pairs, -1)).toThrow("seed -1");
    expect(() => officialRouge(pairs, 2 ** 32)).toThrow("seed 4294967296");
  });
});
