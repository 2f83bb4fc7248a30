import { describe, expect, test } from "vitest";
import { accuracy, macroF1, mae, rmse } from "../../../src/metrics/index.js";
import type { GatedQuestion } from "../../../src/report/gate/pairs.js";
import { exactLossP } from "../../../src/report/gate/rule-0.1.0/exact.js";
import { gateByOldRule } from "../../../src/report/gate/rule-0.1.0/rule.js";
import type { Metric } from "../../../src/types.js";
import { gatedArm, gatedQuestions, gatedSide, rated as given, replies } from "../../helpers/gated-arm.js";

const labels = ["yes", "no"];
const [right, f1] = [accuracy(labels), macroF1(labels)];

/** A word per user, a letter per question: `=` right and `x` wrong before and now, `-` lost, `+` gained. */
const answers = (words: string): GatedQuestion[] =>
  words.split(" ").flatMap((word, u) =>
    [...word].map((letter, q) => ({
      id: `${u}-${q}`,
      user: `u${u}`,
      baseline: replies("=-".includes(letter) ? 1 : 0),
      candidate: replies("=+".includes(letter) ? 1 : 0),
    })),
  );

/** A word per user, two digits per question: the rating before and now, of gold 3. */
const ratings = (words: string): GatedQuestion[] =>
  words.split(" ").flatMap((word, u) =>
    (word.match(/../g) ?? []).map((both, q) => ({
      id: `${u}-${q}`,
      user: `u${u}`,
      baseline: given(both[0]!),
      candidate: given(both[1]!),
    })),
  );

/** 30 questions of 15 users, right in both repeats before; five of them with these repeats now, a dot for one that failed. */
function repeated(now: string): GatedQuestion[] {
  const both = (word: string) =>
    [...word].map((letter) => (letter === "." ? undefined : replies(letter === "y" ? 1 : 0)[0]));
  return Array.from({ length: 30 }, (_, q) => ({
    id: `q${q}`,
    user: `u${q >> 1}`,
    baseline: both("yy"),
    candidate: both(q % 3 === 0 && q < 15 ? now : "yy"),
  }));
}

/** 30 users of four answers, so many of whom lost one. */
const changedOf = (count: number) => answers(("-=== ".repeat(count) + "==== ".repeat(30 - count)).trim());

/** 20 users of two ratings, so many of whom lost one. */
const changedRatings = (count: number) => ratings(("3433 ".repeat(count) + "3333 ".repeat(20 - count)).trim());

const few = "====x ==x-= ===== =+=== x==== ===x= ==-== ===== =x=== ====- ===== ==x==";
const many = "=--== -=x-- ==-+= =+--= x==-- -==x= ==-=- =-=-= =x=-+ ====- =-=-= ==x--";
const better = "=x+== +=x+= ==++= =+=+= x==x+ +==x= ==x=+ =+=x= =x=++ ====x =+=x= ==x+-";
const fewUsers = "===-==x= ==x-=+== ====-=== =x==-===";
const rated = "3334 3333 4433 3544 3333 3335 2233 3333 4333 3334 3333 3312";
const ratedMany = "3344 3435 4535 3544 3435 3335 2213 3243 4333 3354 3133 5312";

type Line = readonly [metric: string, verdict: string, ...(number | undefined)[]];

/** What version 0.1.0 itself found: low, high, p, p after Holm, exact p. */
const found: readonly (readonly [
  title: string,
  arms: readonly (readonly [readonly GatedQuestion[], readonly Metric[]])[],
  settings: { readonly margin: number; readonly seed: number; readonly alpha: number },
  lines: readonly Line[],
])[] = [
  [
    "few changed answers",
    [[answers(few), [right, f1]]],
    { margin: 0.05, seed: 1, alpha: 0.05 },
    [
      ["accuracy", "inconclusive", -0.1, 0.016666666667, 0.763037793073, 1, 0.421567780099],
      ["f1", "inconclusive", -0.028719585162, 0.005004170142, 1, 1, 0.819664943807],
    ],
  ],
  [
    "the same at a wide margin",
    [[answers(few), [right, f1]]],
    { margin: 0.2, seed: 1, alpha: 0.05 },
    [
      ["accuracy", "pass", -0.1, 0.016666666667, 1, 1, 0.000683572123],
      ["f1", "pass", -0.028719585162, 0.005004170142, 1, 1, 0.003932593079],
    ],
  ],
  [
    "many changed answers",
    [[answers(many), [right, f1]]],
    { margin: 0.05, seed: 1, alpha: 0.05 },
    [
      ["accuracy", "regress", -0.383333333333, -0.2, 0.000282968111, 0.000565936222, undefined],
      ["f1", "regress", -0.140350877193, -0.068097985435, 0.008190228626, 0.008190228626, undefined],
    ],
  ],
  [
    "gains at no margin",
    [[answers(better), [right]]],
    { margin: 0, seed: 1, alpha: 0.05 },
    [["accuracy", "pass", 0.15, 0.3, 1, 1, 0.000376303529]],
  ],
  [
    "fewer than ten users: over questions",
    [[answers(fewUsers), [right]]],
    { margin: 0.1, seed: 7, alpha: 0.05 },
    [["accuracy", "inconclusive", -0.21875, 0, 0.584556589314, 0.584556589314, 0.566980873277]],
  ],
  [
    "nine questions, of which nothing is drawn, and ten",
    [
      [answers("==-=x==-="), [right]],
      [answers("==-=x==-=="), [right]],
    ],
    { margin: 0.1, seed: 1, alpha: 0.05 },
    [
      ["accuracy", "inconclusive", undefined, undefined, undefined, undefined, 0.923048534019],
      ["accuracy", "inconclusive", -0.5, 0, 0.330269384651, 0.330269384651, 0.916957237383],
    ],
  ],
  [
    "few changed ratings",
    [[ratings(rated), [mae, rmse]]],
    { margin: 0.3, seed: 2, alpha: 0.05 },
    [
      ["mae", "inconclusive", -0.458333333333, 0.041666666667, 0.822032361272, 1, 0.96970722272],
      ["rmse", "inconclusive", -0.531855926962, 0.195918347327, 0.71627450626, 1, 0.388589123393],
    ],
  ],
  [
    "many changed ratings",
    [[ratings(ratedMany), [mae, rmse]]],
    { margin: 0.3, seed: 2, alpha: 0.05 },
    [
      ["mae", "inconclusive", -0.833333333333, 0.25, 0.483654120432, 0.967308240863, undefined],
      ["rmse", "inconclusive", -0.754449944228, 0.317327770642, 0.558016656691, 0.967308240863, undefined],
    ],
  ],
  [
    "nothing changed",
    [[answers("==x= ".repeat(15).trim()), [right]]],
    { margin: 0.05, seed: 1, alpha: 0.05 },
    [["accuracy", "pass", 0, 0, 1, 1, 0.046069798987]],
  ],
  [
    "nothing changed, at no margin",
    [[answers("==x= ".repeat(15).trim()), [right]]],
    { margin: 0, seed: 1, alpha: 0.05 },
    [["accuracy", "inconclusive", 0, 0, 1, 1, 1]],
  ],
  [
    "everything lost",
    [[answers("-- ".repeat(12).trim()), [right]]],
    { margin: 0.05, seed: 1, alpha: 0.05 },
    [["accuracy", "regress", -1, -1, 0.002233637113, 0.002233637113, undefined]],
  ],
  [
    "one user who lost everything",
    [[answers(`---------- ${"== ".repeat(19).trim()}`), [right]]],
    { margin: 0, seed: 1, alpha: 0.05 },
    [["accuracy", "inconclusive", -0.555555555556, 0, 0.266347743866, 0.266347743866, 0.999508765318]],
  ],
  [
    "four lines, one without a p: Holm over three",
    [
      [answers(many), [right]],
      [answers(few), [right]],
      [answers("=-="), [right]],
      [answers(better), [right]],
    ],
    { margin: 0.02, seed: 5, alpha: 0.1 },
    [
      ["accuracy", "regress", -0.366666666667, -0.216666666667, 0.00011496394, 0.000344891821, undefined],
      ["accuracy", "inconclusive", -0.083333333333, 0.016666666667, 0.404790539261, 0.809581078523, 0.760258007956],
      ["accuracy", "inconclusive", undefined, undefined, undefined, undefined, 0.936131],
      ["accuracy", "pass", 0.183333333333, 0.283333333333, 1, 1, 0.000164573243],
    ],
  ],
  [
    "19 changed answers, and 20",
    [
      [changedOf(19), [right]],
      [changedOf(20), [right]],
    ],
    { margin: 0.1, seed: 1, alpha: 0.05 },
    [
      ["accuracy", "regress", -0.191666666667, -0.116666666667, 0.014860059209, 0.014860059209, 0.98423322804],
      ["accuracy", "regress", -0.2, -0.125, 0.006649838128, 0.013299676256, undefined],
    ],
  ],
  [
    "9 changed ratings, and 10",
    [
      [changedRatings(9), [mae, rmse]],
      [changedRatings(10), [mae, rmse]],
    ],
    { margin: 0.1, seed: 1, alpha: 0.05 },
    [
      ["mae", "regress", -0.325, -0.125, 0.024692796343, 0.024692796343, 0.999999959358],
      ["rmse", "regress", -0.57008771255, -0.353553390593, 0.000099990001, 0.000399960004, 0.994936946342],
      ["mae", "regress", -0.35, -0.15, 0.009263577544, 0.018527155088, undefined],
      ["rmse", "regress", -0.59160797831, -0.387298334621, 0.000099990001, 0.000399960004, undefined],
    ],
  ],
  [
    "a rating beyond the scale",
    [[ratings(`39 ${"33 ".repeat(19).trim()}`), [mae]]],
    { margin: 0.5, seed: 1, alpha: 0.05 },
    [["mae", "inconclusive", -1.2, 0, 0.629836394973, 0.629836394973, 0.494535862348]],
  ],
  [
    "half of the repeats of some questions lost, and failed",
    [
      [repeated("yn"), [right, f1]],
      [repeated("n."), [right, f1]],
    ],
    { margin: 0.1, seed: 4, alpha: 0.05 },
    [
      ["accuracy", "inconclusive", -0.15, -0.033333333333, 0.766577596625, 1, 0.9268098916],
      ["f1", "inconclusive", -0.044117647059, -0.008620689655, 1, 1, 0.9268098916],
      ["accuracy", "inconclusive", -0.15, -0.033333333333, 0.766577596625, 1, 0.9268098916],
      ["f1", "inconclusive", -0.044117647059, -0.008620689655, 1, 1, 0.9268098916],
    ],
  ],
];

describe("the withdrawn rule gives the numbers that version 0.1.0 gave", () => {
  test.each(found)("%s", (_, arms, { margin, ...settings }, expected) => {
    const lines = gateByOldRule(
      arms.map(([questions, metrics]) => ({ arm: gatedArm(questions), metrics })),
      { ...settings, margin: () => margin },
    );
    expect(lines.map(({ metric, verdict }) => [metric, verdict])).toEqual(expected.map((line) => line.slice(0, 2)));
    for (const [l, { low, high, p, holm, exactP }] of lines.entries())
      for (const [at, value] of [low, high, p, holm, exactP].entries()) {
        const known = expected[l]![at + 2];
        if (typeof known === "number") expect(value).toBeCloseTo(known, 10);
        else expect(value).toBeUndefined();
      }
  });
});

describe("a line of the withdrawn rule", () => {
  const lineOf = (questions: readonly GatedQuestion[], metric: Metric, more = {}) =>
    gateByOldRule([{ arm: gatedArm(questions, more), metrics: [metric] }], {
      alpha: 0.05,
      margin: () => 0.1,
      seed: 1,
    })[0]!;

  test("has the scores of both sides, and a gain that counts upwards", () => {
    const worse = lineOf(ratings("3334 3335 3333 4433"), mae);
    expect(worse).toMatchObject({
      baseline: 1 / 8,
      candidate: 4 / 8,
      gain: -3 / 8,
      users: 4,
      questions: 8,
      margin: 0.1,
    });
    expect(lineOf(answers("=- ++ == =-"), right)).toMatchObject({ baseline: 6 / 8, candidate: 6 / 8, gain: 0 });
    expect(lineOf(answers("=- =- == =-"), right)).toMatchObject({ baseline: 1, candidate: 5 / 8, gain: -3 / 8 });
    expect(lineOf([], right)).toMatchObject({ baseline: undefined, candidate: undefined, gain: undefined, users: 0 });
    expect(() => lineOf([], right, { leftOut: { absent: 0, added: 0, failed: 0, noGold: 2 } })).toThrow(
      "no gold answer",
    );
  });

  test("passes for the same requests and answers, at any margin and of any size", () => {
    const asked = { ...gatedSide, requests: ["r0"] };
    const sides = { baseline: asked, candidate: asked };
    expect(lineOf(answers("="), right, sides)).toMatchObject({ verdict: "pass", identical: true });
    expect(lineOf(answers("="), right)).toMatchObject({ verdict: "inconclusive", identical: false });
  });
});

describe("the exact test of the withdrawn rule", () => {
  const unchanged = (count: number) => answers("=".repeat(count));

  test("of answers that did not change is the rule of three, and of no margin says nothing", () => {
    expect(exactLossP(right, unchanged(59), 0.05)).toBeCloseTo(0.95 ** 59, 12);
    expect(exactLossP(f1, unchanged(40), 0.1)).toBeCloseTo(0.9 ** 40, 12);
    expect(exactLossP(mae, ratings("33".repeat(40)), 0.4)).toBeCloseTo(0.9 ** 40, 12);
    for (const metric of [right, f1]) expect(exactLossP(metric, unchanged(9), 0)).toBe(1);
    expect(exactLossP(mae, ratings("3322"), 0)).toBe(1);
    expect(exactLossP(right, answers("-+=="), 0)).toBeCloseTo((1 + 70 / 256) / 2, 10); // as of eight fair coins
    expect(exactLossP(right, [], 0.1)).toBeUndefined();
  });

  test("of a margin that no loss can reach is passed", () => {
    expect(exactLossP(right, answers("=-=-"), 1)).toBe(0);
    expect(exactLossP(mae, ratings("3433"), 4)).toBe(0);
    expect(exactLossP(f1, answers("=-=="), 1)).toBe(0);
    expect(exactLossP(right, answers("-----"), 1)).toBe(0);
  });

  test("where every answer changed is the sign test at that margin", () => {
    for (const [lost, gained, margin] of [
      [5, 5, 0.2],
      [9, 3, 0.5],
      [2, 1, 0.02],
      [4, 0, 0.1],
    ] as const) {
      const [count, gains] = [lost + gained, (1 - margin) / 2];
      let chance = (1 - gains) ** count;
      let below = 0; // so few gains that the net loss were larger
      for (let hit = 0; hit < gained; hit++) {
        below += chance;
        chance *= ((count - hit) / (hit + 1)) * (gains / (1 - gains));
      }
      expect(exactLossP(right, answers("-".repeat(lost) + "+".repeat(gained)), margin)).toBeCloseTo(1 - below, 10);
    }
  });

  test("counts the readings of a mean over labels, one and the same of all repeats where their numbers differ", () => {
    const sameOf = (before: readonly number[], now: readonly number[]) =>
      exactLossP(f1, gatedQuestions(Array(20).fill(replies(...before)), Array(20).fill(replies(...now))), 0.1);
    expect(sameOf([1, 1], [1])).toBeCloseTo(0.9 ** 20, 12);
    expect(sameOf([1, 0], [1, 0])).toBeCloseTo(0.9 ** 20, 12);
    expect(sameOf([1, 0], [1])).toBeUndefined();
    expect(sameOf([1, 0], [0, 1])).toBeUndefined();
    expect(sameOf([1], [0])).toBeUndefined();
  });
});
