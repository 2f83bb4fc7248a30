import { describe, expect, test } from "vitest";
import type { Judged, Judgement } from "../../src/report/judgements/judgement.js";
import { type PairVerdict, pairVerdicts, winRates } from "../../src/report/judgements/win-rates.js";

const verdict = (n: number, winner: 0 | 1 | 2, ownFirst: boolean, confidence = 80): PairVerdict => ({
  question: `q${n}`,
  winner,
  confidence,
  ownFirst,
});
const judgement = (judged: Judged, shownFirst: boolean): Judgement => ({
  cell: "own",
  question: "q",
  user: "u",
  against: { cell: "other", shownFirst },
  judged,
  tokens: { in: 1, out: 1 },
  calls: 1,
});

/** Of one reply, compared with none. */
function alone(judged: Judged): Judgement {
  const { against: _, ...own } = judgement(judged, false);
  return own;
}

describe("win rates (RUMS, H3)", () => {
  test("are wins minus losses over pairs; a pair with one order is in none of both, ties count in n", () => {
    const verdicts = [
      ...[verdict(1, 1, true), verdict(1, 2, false)], // won
      ...[verdict(2, 2, true), verdict(2, 1, false)], // lost
      ...[verdict(3, 1, true), verdict(3, 2, false)], // won
      ...[verdict(4, 0, true), verdict(4, 0, false)], // neither
      verdict(5, 1, true),
    ];
    expect(winRates(verdicts)).toEqual({ both: 1 / 4, pairs: 4, published: 2 / 5, kept: 5 });
  });

  test("a preference in one order alone is none; the published rule counts it where the own answer stands first", () => {
    expect(winRates([verdict(1, 1, true), verdict(1, 0, false)])).toMatchObject({ both: 0, published: 1 });
    expect(winRates([verdict(1, 0, true), verdict(1, 2, false)])).toMatchObject({ both: 0, published: 0 });
  });

  test("the published rule keeps confidence at or above the 70th percentile of the order that it looks at", () => {
    const verdicts = Array.from({ length: 10 }, (_, n) => [
      verdict(n, n >= 7 ? 1 : 2, true, 10 * (n + 1)),
      verdict(n, 1, false, 100),
    ]).flat();
    expect(winRates(verdicts)).toMatchObject({ published: 1, kept: 3 });
    const equal = Array.from({ length: 10 }, (_, n) => verdict(n, n < 6 ? 1 : 2, true));
    expect(winRates([...verdicts].reverse())).toMatchObject({ published: 1, kept: 3 });
    expect(winRates(equal)).toMatchObject({ published: 0.2, kept: 10, both: undefined, pairs: 0 });
  });

  test("the other order alone decides nothing, by neither rule", () => {
    expect(winRates([verdict(1, 2, false)])).toEqual({ both: undefined, pairs: 0, published: undefined, kept: 0 });
  });

  test("verdicts come out of judgements: unjudged ones, and those without confidence, are none", () => {
    const judged = (value: number, confidence?: number): Judged => ({
      kind: "judged",
      value,
      why: "",
      ...(confidence === undefined ? {} : { confidence }),
    });
    expect(
      pairVerdicts([
        judgement(judged(1, 60), false),
        judgement(judged(-1, 70), true),
        judgement(judged(0, 50), true),
        judgement(judged(1), false),
        judgement({ kind: "unjudged", replies: ["?"] }, false),
        alone(judged(1, 60)),
      ]),
    ).toEqual([
      { question: "q", winner: 1, confidence: 60, ownFirst: true },
      { question: "q", winner: 2, confidence: 70, ownFirst: false },
      { question: "q", winner: 0, confidence: 50, ownFirst: false },
    ]);
  });
});
