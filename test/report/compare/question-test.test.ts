import { describe, expect, test } from "vitest";
import { cohenH, testQuestions } from "../../../src/report/compare/question-test.js";
import { mcNemar } from "../../../src/statistics/mcnemar.js";

describe("questions that are right or wrong in both arms", () => {
  const found = () => testQuestions([1, 0, 1, 0, 0, 1, 0, 0], [1, 0, 0, 1, 1, 1, 1, 0]);

  test("are tested by McNemar, on those that only one of them has right", () => {
    expect(found()).toMatchObject({ name: "mcnemar", p: mcNemar(1, 3), discordant: { onlyA: 1, onlyB: 3 } });
  });

  test("have Cohen's h of B over A", () => expect(found().effect).toBe(cohenH(3 / 8, 5 / 8)));

  test("that are the same have no effect", () => {
    expect(testQuestions([1, 0], [1, 0])).toMatchObject({ p: 1, effect: 0 });
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

  test("one value between is enough, in either arm", () => {
    expect(testQuestions([1, 0.5], [1, 0]).name).toBe("wilcoxon");
    expect(testQuestions([1, 0], [0.5, 0]).name).toBe("wilcoxon");
  });
});
