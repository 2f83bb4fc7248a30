import { describe, expect, test } from "vitest";
import { testQuestions } from "../../../src/report/compare/question-test.js";
import { cohenH } from "../../../src/statistics/cohen-h.js";
import { mcNemar } from "../../../src/statistics/mcnemar.js";
import { detectableMean, detectableShares, neededForMean, neededForShares } from "../../../src/statistics/power.js";

describe("questions that are right or wrong in both arms", () => {
  const found = () => testQuestions([1, 0, 1, 0, 0, 1, 0, 0], [1, 0, 0, 1, 1, 1, 1, 0]);

  test("are tested by McNemar, on those that only one of them has right", () => {
    expect(found()).toMatchObject({ name: "mcnemar", p: mcNemar(1, 3), discordant: { onlyA: 1, onlyB: 3 } });
  });

  test("have Cohen's h of B over A", () => expect(found().effect).toBe(cohenH(3 / 8, 5 / 8)));

  test("need so many for the net share of 2 in 8 where 4 in 8 differ, and find so much as they are", () => {
    expect(found().needed).toBe(neededForShares(2 / 8, 4 / 8));
    expect(found().detectable).toBe(detectableShares(8, 4 / 8));
  });

  test("that are the same have no effect, and no number would show one", () => {
    expect(testQuestions([1, 0], [1, 0])).toMatchObject({ p: 1, effect: 0, needed: undefined });
  });
});

describe("questions with values between right and wrong", () => {
  const [a, b] = [
    [0.5, 1, 0, 0.25],
    [1, 1, 0.75, 0],
  ];
  const found = () => testQuestions(a, b); // B - A: .5, 0, .75, -.25

  test("are tested by signed ranks, with an effect that is positive where B is larger", () => {
    expect(found().name).toBe("wilcoxon");
    expect(found().effect).toBeCloseTo((2 + 3 - 1) / 6, 12);
    expect(testQuestions(b, a).effect).toBe(-found().effect);
    expect(found()).not.toHaveProperty("discordant");
  });

  test("need so many for a mean of .25 at their spread, and find so much as they are", () => {
    const spread = Math.sqrt((0.25 ** 2 + 0.25 ** 2 + 0.5 ** 2 + 0.5 ** 2) / 3);
    expect(found().needed).toBe(neededForMean(0.25, spread));
    expect(found().detectable).toBe(detectableMean(4, spread));
  });

  test("of which one alone is there, or all differ by the same, say nothing of what could be found", () => {
    expect(testQuestions([0.5], [1])).toMatchObject({ needed: undefined, detectable: undefined });
    expect(testQuestions([0.5, 0], [1, 0.5]).detectable).toBeUndefined();
  });

  test("one value between is enough, in either arm", () => {
    expect(testQuestions([1, 0.5], [1, 0]).name).toBe("wilcoxon");
    expect(testQuestions([1, 0], [0.5, 0]).name).toBe("wilcoxon");
  });
});
