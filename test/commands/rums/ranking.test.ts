import { describe, expect, test } from "vitest";
import { type RankedCase, rankingOf, rankingText } from "../../../src/commands/rums/train.js";
import { seeded } from "../../../src/random/seeded.js";
import { areaUnderRoc } from "../../../src/results/separation.js";
import type { Random } from "../../../src/types/index.js";

/** Users whose chosen cases lie higher by another amount each: about .64 of the area, spread over users. */
function drawn(users: number, cases: number, random: Random): RankedCase[] {
  return Array.from({ length: users }, (_, u) => {
    const gain = 0.6 * random.next() - 0.1;
    return Array.from({ length: cases }, () => {
      const is = random.next() < 0.3;
      return { user: `u${u}`, is, score: random.next() + (is ? gain : 0) };
    });
  }).flat();
}

describe("the interval of an area under the curve", () => {
  test("is a dash below 10 users, where a user has all cases of a kind, and where nothing differs", () => {
    const cases = drawn(10, 8, seeded("users"));
    expect(rankingText(rankingOf(cases))).toMatch(/^0\.\d{3} \[0\.\d{3}, 0\.\d{3}\]$/);
    expect(rankingText(rankingOf(cases.filter(({ user }) => user !== "u9")))).toMatch(/^0\.\d{3} \[-\]$/);
    const ofOne = cases.map((one) => ({ ...one, is: one.user === "u3" }));
    expect(rankingText(rankingOf(ofOne))).toMatch(/^0\.\d{3} \[-\]$/);
    expect(rankingText(rankingOf(cases.map((one) => ({ ...one, score: one.is ? 1 : 0 }))))).toBe("1.000 [-]");
    expect(rankingOf(cases.filter(({ is }) => is))).toBeUndefined();
  });

  test("is the jackknife over users on the logit scale, with no seed, and mirrors with the kinds", () => {
    // 9 users rank right, one wrong: each left-out area by hand; t of 9 degrees of freedom is 2.262157
    const cases = Array.from({ length: 10 }, (_, u) => [
      { user: `u${u}`, is: true, score: u === 9 ? 0 : 1 },
      { user: `u${u}`, is: false, score: 0.5 },
    ]).flat();
    const mean = (9 * (8 / 9) + 1) / 10;
    const error = Math.sqrt(0.9 * (9 * (8 / 9 - mean) ** 2 + (1 - mean) ** 2)) / (0.9 * 0.1);
    const at = (t: number) => 1 / (1 + Math.exp(-(Math.log(9) + t * error)));
    const ranking = rankingOf(cases)!;
    expect(ranking.area).toBe(0.9);
    expect([ranking.low, ranking.high]).toEqual([
      expect.closeTo(at(-2.2621571628), 9),
      expect.closeTo(at(2.2621571628), 9),
    ]);
    const mirrored = rankingOf(cases.map((one) => ({ ...one, is: !one.is })))!;
    expect(mirrored.low).toBeCloseTo(1 - ranking.high!, 9);
    expect(rankingOf([...cases].reverse())!.low).toBeCloseTo(ranking.low!, 12);
  });

  test("holds the area of all such users in 90 of 100 sets of 10", () => {
    const users = 10;
    const random = seeded("coverage");
    const all = drawn(2000, 8, random);
    const of = (kind: boolean) => all.filter(({ is }) => is === kind).map(({ score }) => score);
    const truth = areaUnderRoc({ high: of(true), low: of(false) })!;
    const held = Array.from({ length: 200 }, () => rankingOf(drawn(users, 8, random))!).filter(
      ({ low = 1, high = 0 }) => low <= truth && truth <= high,
    );
    expect(held.length / 200).toBeGreaterThanOrEqual(0.9);
  });
});
