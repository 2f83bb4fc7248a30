import { describe, expect, test } from "vitest";
import { accuracy } from "../../src/metrics/accuracy.js";
import { macroF1 } from "../../src/metrics/macro.js";
import { mae } from "../../src/metrics/mae.js";
import { seeded } from "../../src/random/seeded.js";
import { asFamily, type Comparison, compareArms, slopeOf } from "../../src/results/compare.js";
import {
  combined,
  hasEveryLabel,
  inferenceOf,
  jackknife,
  scaleOf,
  scoreInterval,
  thetaOf,
  type UserPairs,
} from "../../src/results/inference.js";
import type { Row } from "../../src/types/index.js";

const metric = accuracy(["yes", "no"]);

/** One word a user, one letter an answer: `y` is right. */
const users = (words: string): UserPairs[] =>
  words.split(" ").map((word) => ({
    questions: word.length,
    repeats: [[...word].map((letter) => ({ prediction: letter === "y" ? "yes" : "no", gold: "yes" }))],
  }));

const TWELVE = "yy yn nn y n yyn yny y y n yy y";

describe("the delete-one-user jackknife", () => {
  test("is the textbook formula over every user's own leaving", () => {
    const all = users(TWELVE);
    const { value, without } = thetaOf(metric, all);
    const right = (some: readonly UserPairs[]): number => {
      const pairs = some.flatMap(({ repeats }) => repeats.flat());
      return pairs.filter(({ prediction, gold }) => prediction === gold).length / pairs.length;
    };
    expect(value).toBeCloseTo(right(all), 15);
    const left = all.map((user) => right(all.filter((other) => other !== user)));
    for (const [u, score] of left.entries()) expect(without[u]).toBeCloseTo(score, 14);
    const mean = left.reduce((sum, score) => sum + score, 0) / 12;
    const se = Math.sqrt((11 / 12) * left.reduce((sum, score) => sum + (score - mean) ** 2, 0));
    expect(jackknife({ value, without, questions: [2, 2, 2, 1, 1, 3, 3, 1, 1, 1, 2, 1] })).toEqual({
      se: expect.closeTo(se, 14),
      effective: 20 ** 2 / 40,
    });
  });

  test("of one question a user is the usual standard error, with Student's n - 1 degrees", () => {
    const gain = combined([
      [1, thetaOf(metric, users("y y y y y y n n n n n n"))],
      [-1, thetaOf(metric, users("n n n y y y n n n n n n"))],
    ]);
    const { p, interval, detectable } = inferenceOf(gain)!;
    const se = Math.sqrt((3 * 0.75 ** 2 + 9 * 0.25 ** 2) / 11 / 12);
    expect(jackknife(gain).se).toBeCloseTo(se, 14);
    expect(interval!.high - interval!.low).toBeCloseTo(2 * 2.2009851600831 * se, 10);
    expect(p).toBeCloseTo(0.08186, 4); // scipy: ttest_1samp of three ones and nine zeros
    expect(detectable).toBeCloseTo((2.2009851600831 + 0.87553) * se, 4);
  });

  test("takes the mean over repeats, and a user leaves all of them", () => {
    const repeated = users(TWELVE).map(({ questions, repeats: [first = []] }) => ({
      questions,
      repeats: [first, first.map(({ gold }) => ({ prediction: "yes", gold }))],
    }));
    expect(thetaOf(metric, repeated).value).toBeCloseTo((thetaOf(metric, users(TWELVE)).value + 1) / 2, 14);
    const half = thetaOf(metric, users(TWELVE)).without.map((score) => (score + 1) / 2);
    expect([...thetaOf(metric, repeated).without]).toEqual([...half].map((score) => expect.closeTo(score, 14)));
  });

  test("has an interval that leaves out 0 exactly where p is below .05", () => {
    const random = seeded("agree");
    const letters = (): string =>
      Array.from({ length: 15 }, () => "yyyn".repeat(2).slice(0, 1 + random.below(8))).join(" ");
    let significant = 0;
    for (let sample = 0; sample < 300; sample++) {
      const words = letters();
      const worse = [...words].map((one) => (one === "y" && random.below(3) === 0 ? "n" : one)).join("");
      const shifted = [...words].map((one) => (one === " " || random.below(4) > 0 ? one : "y")).join("");
      const gain = combined([
        [1, thetaOf(metric, users(shifted))],
        [-1, thetaOf(metric, users(sample % 2 === 0 ? worse : words))],
      ]);
      const { interval = { low: 0, high: 0 }, p = 1 } = inferenceOf(gain) ?? {};
      expect(interval.low > 0 || interval.high < 0).toBe(p < 0.05);
      if (p < 0.05) significant += 1;
    }
    expect(significant).toBeGreaterThan(20);
    expect(significant).toBeLessThan(280);
  });
});

describe("a dash", () => {
  const interval = (words: string) => scoreInterval(thetaOf(metric, users(words)), [0, 1]);

  test("stands for fewer than 10 users, for fewer than 5 effective ones, and for a score without spread", () => {
    expect(interval("y n y n y n y n y")).toBeUndefined();
    expect(interval("y n y n y n y n y n")).toBeDefined();
    expect(interval(`${"yn".repeat(20)} y n y n y n y n y`)).toBeUndefined();
    expect(interval("y y y y y y y y y y")).toBeUndefined();
  });

  test("stands for a mean over labels where a listed label has no gold answer", () => {
    const f1 = macroF1(["yes", "no"]);
    expect(hasEveryLabel(f1, users("y n y"))).toBe(false);
    expect(hasEveryLabel(f1, [{ questions: 1, repeats: [[{ prediction: "yes", gold: "no" }]] }, ...users("y")])).toBe(
      true,
    );
    expect(hasEveryLabel(metric, users("y n y"))).toBe(true);
  });

  test("does not stand for a difference without spread: p is 1 where it is 0, else below .001", () => {
    const same = (weight: number) => combined([[weight, thetaOf(metric, users("y y y y y y y y y y"))]]);
    expect(inferenceOf(same(0))).toMatchObject({ p: 1, interval: undefined });
    expect(inferenceOf(same(1))!.p).toBeLessThan(0.001);
  });
});

test("a score stays within its range on the logit scale, an error above 0 on the log scale", () => {
  const score = thetaOf(metric, users("y y y y y y y y y y y n"));
  const { low, high } = scoreInterval(score, [0, 1])!;
  const logit = (value: number): number => Math.log(value / (1 - value));
  expect(high).toBeLessThan(1);
  expect((logit(low) + logit(high)) / 2).toBeCloseTo(logit(score.value), 10);
  expect(scaleOf(mae)).toBe("log");
  const error = scoreInterval(score, "log")!;
  expect(error.low * error.high).toBeCloseTo(score.value ** 2, 12);
  expect(
    scoreInterval({ ...score, value: 1 + 4 * score.value, without: score.without.map((one) => 1 + 4 * one) }, [1, 5]),
  ).toEqual({
    low: expect.closeTo(1 + 4 * low, 10),
    high: expect.closeTo(1 + 4 * high, 10),
  });
});

/** Rows of ratings: one word a user; `!` failed. The gold is 3. */
const rows = (words: string, arm = "a", cluster?: (user: number) => string): Row[] =>
  words.split(" ").flatMap((word, u) =>
    [...word].map(
      (reply, q): Row => ({
        ...{ arm, user: `u${u}`, unit: `u${u}`, question: `u${u}-${q}`, gold: "3", spend: {}, incidents: {} },
        ...(cluster === undefined ? {} : { cluster: cluster(u) }),
        outcome: reply === "!" ? { kind: "failed", error: "e" } : { kind: "answered", reply, lenient: reply },
      }),
    ),
  );

describe("two arms", () => {
  test("are compared on the questions that both answered, positive where B is better, with one p", () => {
    const a = rows("55! 44 33 22 11 54 32 12 34 55 4 5");
    const b = rows("333 33 33 33 33 3! 33 33 33 33 3 3", "b").reverse();
    const found = compareArms({ a, b, metrics: [mae, accuracy(["3"])] });
    expect(found).toMatchObject({ questions: 21, users: 12, leftOut: { failed: 2, onlyA: 0, onlyB: 0, noGold: 0 } });
    const [primary, other] = found.metrics;
    expect(primary!.gain).toBeCloseTo(primary!.a - primary!.b, 12);
    expect(primary!.gain).toBeGreaterThan(0);
    expect(primary!.p).toBeLessThan(0.05);
    expect(other!.p).toBeUndefined();
    expect(other!.interval).toBeDefined();
    expect(found.flipped[0]).toMatchObject({ gain: true, b: { reply: "3" } });
  });

  test("have their clusters in the place of users where the data name one", () => {
    const by = (cluster?: (user: number) => string) =>
      compareArms({
        a: rows("5 4 3 2 1 5 3 1 3 5 4 5 5 4 3 2 1 5 3 1 3 5 4 5", "a", cluster),
        b: rows("3 3 3 3 3 4 3 3 3 3 3 3 3 3 3 3 3 4 3 3 3 3 3 3", "b", cluster),
        metrics: [mae],
      });
    const inEffect = (found: ReturnType<typeof by>) => [found.users, found.effective];
    expect(inEffect(by())).toEqual([24, 24]);
    expect(inEffect(by((user) => `c${user % 12}`))).toEqual([24, 12]);
    expect(by((user) => (user < 13 ? "large" : `c${user}`)).effective).toBeCloseTo(24 ** 2 / (13 ** 2 + 11), 12);
    expect(by((user) => `c${user % 6}`).metrics[0]!.p).toBeUndefined();
  });

  test("of different data are refused", () => {
    const other = rows("3 3", "b").map((row) => ({ ...row, gold: "4" }));
    expect(() => compareArms({ a: rows("3 3"), b: other, metrics: [mae] })).toThrow(/different data/);
  });
});

test("a slope is the least-squares line over the steps, on the questions that all answered", () => {
  const steps = ["5 5 5 5 5 5 5 5 5 4 5 5", "4 4 4 4 4 4 5 4 4 4 4 !", "3 3 3 3 4 3 3 3 3 3 3 3"];
  const found = slopeOf(
    mae,
    steps.map((words, s) => rows(words, `step${s}`)),
  )!;
  const means = [21 / 11, 12 / 11, 1 / 11];
  expect(found.slope).toBeCloseTo((means[2]! - means[0]!) / 2, 12);
  expect(found.p).toBeLessThan(0.001);
});

test("the pairs of a family have the p of all of them after Holm, those without a p none", () => {
  const pair = (p: number | undefined) => ({ comparison: { metrics: [{ p }] } as unknown as Comparison });
  const family = asFamily([0.01, undefined, 0.04, 0.03].map(pair));
  expect(family.map(({ comparison }) => comparison.metrics[0]?.holm)).toEqual([0.03, undefined, 0.06, 0.06]);
});
