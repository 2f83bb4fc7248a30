import { describe, expect, test } from "vitest";
import { scoresOf, winRates, winsOf } from "../../src/results/judge-scores.js";
import type { ArmSpec, Judgement } from "../../src/types/index.js";

const armSpec = (id: string, method: string): ArmSpec => ({
  id,
  task: "alex-like",
  dataset: "made",
  method,
  model: "made/up",
  options: {},
  seed: 0,
  repeat: 0,
});
const arms = [armSpec("a", "stateless"), armSpec("b", "assistant")];
const judgement = (of: string, user: number, question: string, value: number | undefined): Judgement => ({
  arm: of,
  question: `${user}-${question}`,
  user: `u${user}`,
  judged: value === undefined ? { kind: "unjudged", replies: ["?", "?"] } : { kind: "judged", value, why: "" },
  tokens: { in: 1, out: 1 },
  calls: 1,
});
const exclude = { options: {}, range: [1, 10] } as const;
const zeros = { ...exclude, options: { "judge.onParseFail": "zero" } } as const;
const users = Array.from({ length: 12 }, (_, user) => user);

describe("scores of a judge", () => {
  test("are means with intervals over users within the judge's scale, a dash where all verdicts are the same", () => {
    const judgements = users.flatMap((user) => [
      judgement("a", user, "q", 5),
      judgement("b", user, "q", 5 + (user % 3)),
    ]);
    const [a, b] = scoresOf(judgements, arms, exclude);
    expect(a).toMatchObject({ mean: 5, judged: 12, users: 12, interval: undefined });
    expect(b?.mean).toBe(6);
    expect(b!.interval!.low).toBeGreaterThan(4);
    expect(b!.interval!.high).toBeLessThan(8);
  });

  test("an unjudged reply changes n, not the mean; as zero it counts", () => {
    const judgements = users.flatMap((user) => [
      judgement("a", user, "q", 4),
      judgement("b", user, "q", user === 0 ? undefined : 8),
    ]);
    const [, b] = scoresOf(judgements, arms, exclude);
    expect(b).toMatchObject({ mean: 8, judged: 11, unjudged: 1 });
    const [, zero] = scoresOf(judgements, arms, zeros);
    expect(zero?.mean).toBeCloseTo((8 * 11) / 12, 10);
  });

  test("a question's verdict is the mean over its repeats, unjudged ones left out", () => {
    const repeats = [...arms.flatMap((one) => [one, { ...one, id: `${one.id}2`, repeat: 1 }])];
    const judgements = users.flatMap((user) => [
      judgement("a", user, "q", 9),
      judgement("a2", user, "q", 3),
      judgement("b", user, "q", 6),
      judgement("b2", user, "q", user === 0 ? undefined : 6),
    ]);
    const [a, b] = scoresOf(judgements, repeats, exclude);
    expect([a?.mean, b?.mean]).toEqual([6, 6]);
  });
});

describe("wins of a judge who saw both orders", () => {
  /** The value is of the place that was shown first. */
  const pair = (
    user: number,
    question: string,
    ownFirst: number | undefined,
    otherFirst: number | undefined,
  ): Judgement[] =>
    [ownFirst, otherFirst].map((value, order) => ({
      ...judgement("b", user, question, value),
      against: { arm: "a", shownFirst: order === 1 },
    }));

  test("count where both orders agree; what turns with the order is no preference, what lacks an order in no share", () => {
    const judgements = [
      ...pair(0, "won", 1, -1),
      ...pair(0, "lost", -1, 1),
      ...pair(1, "won", 1, -1),
      ...pair(1, "tied", 0, 0),
      ...pair(2, "place", 1, 1),
      ...pair(2, "place again", 1, 1),
      ...pair(1, "place once more", 1, 1),
      ...pair(2, "second place", -1, -1),
      ...pair(3, "half", 1, undefined),
      ...pair(3, "other half", undefined, 1),
      ...pair(3, "one order", 1, -1).slice(0, 1),
      judgement("a", 0, "alone", 9),
    ];
    const [wins, ...rest] = winsOf(judgements, arms);
    expect(rest).toEqual([]);
    expect(wins).toMatchObject({
      task: "alex-like",
      arm: "assistant",
      against: "stateless",
      pairs: 11,
      wins: 2,
      losses: 1,
      ties: 1,
      turned: 4,
      unjudged: 3,
      net: (2 - 1) / 8,
      firstPreferred: 3 / 8,
    });
    expect(wins?.interval).toBeUndefined();
  });

  test("nothing judged has no shares; arms that are not of the run are left out", () => {
    const [wins] = winsOf(pair(0, "q", undefined, undefined), arms);
    expect(wins).toMatchObject({ pairs: 1, net: undefined, firstPreferred: undefined, unjudged: 1 });
    expect(winsOf(pair(0, "q", 1, -1), arms.slice(0, 1))).toEqual([]);
    expect(winsOf(pair(0, "q", 1, -1), arms.slice(1))).toEqual([]);
  });
});

test("an arm of which nothing was judged has no mean; failed cases are counted as such, and one judged elsewhere is no arm", () => {
  const failed: Judgement = { ...judgement("a", 0, "q", 1), judged: { kind: "failed", error: "gone" } };
  const scores = scoresOf([failed, judgement("a", 1, "q", undefined)], [...arms, armSpec("c", "buffer")], exclude);
  expect(scores).toStrictEqual([
    {
      task: "alex-like",
      arm: "stateless",
      mean: undefined,
      interval: undefined,
      users: 0,
      judged: 0,
      unjudged: 1,
      failed: 1,
    },
  ]);
  const zero = scoresOf([failed, judgement("a", 1, "q", undefined)], arms, zeros);
  expect(zero[0]).toMatchObject({ mean: 0, users: 1 });
});

describe("win rates (RUMS, H3)", () => {
  /** `winner`: the place that the judge found better, 0 for neither. */
  const verdict = (n: number, winner: 0 | 1 | 2, ownFirst: boolean, confidence?: number): Judgement => ({
    ...judgement("b", n, "q", undefined),
    against: { arm: "a", shownFirst: !ownFirst },
    judged: {
      kind: "judged",
      value: [0, 1, -1][winner]!,
      why: "",
      ...(confidence === undefined ? {} : { confidence }),
    },
  });

  test("are wins minus losses over pairs; a pair with one order is in none of both, ties count in n", () => {
    const verdicts = [
      ...[verdict(1, 1, true, 80), verdict(1, 2, false, 80)], // won
      ...[verdict(2, 2, true, 80), verdict(2, 1, false, 80)], // lost
      ...[verdict(3, 1, true, 80), verdict(3, 2, false, 80)], // won
      ...[verdict(4, 0, true, 80), verdict(4, 0, false, 80)], // neither
      verdict(5, 1, true, 80),
    ];
    expect(winRates(verdicts)).toEqual({ both: 1 / 4, pairs: 4, published: 2 / 5, kept: 5 });
  });

  test("a preference in one order alone is none; the published rule counts it where the own answer stands first", () => {
    const of = (...all: Judgement[]) => winRates(all);
    expect(of(verdict(1, 1, true, 9), verdict(1, 1, false, 9))).toMatchObject({ both: 0, published: 1 });
    expect(of(verdict(1, 0, true, 9), verdict(1, 2, false, 9))).toMatchObject({ both: 0, published: 0 });
    expect(of(verdict(1, 2, false, 9))).toEqual({ both: undefined, pairs: 0, published: undefined, kept: 0 });
  });

  test("the published rule keeps confidence at or above the 70th percentile of the order that it looks at", () => {
    const verdicts = Array.from({ length: 10 }, (_, n) => [
      verdict(n, n >= 7 ? 1 : 2, true, 10 * (n + 1)),
      verdict(n, 1, false, 100),
    ]).flat();
    expect(winRates(verdicts)).toMatchObject({ published: 1, kept: 3 });
    const equal = Array.from({ length: 10 }, (_, n) => verdict(n, n < 6 ? 1 : 2, true, 80));
    expect(winRates(equal)).toMatchObject({ published: 0.2, kept: 10, both: undefined, pairs: 0 });
  });
});
