import { describe, expect, test } from "vitest";
import { detectableDifference } from "../../src/app/run/estimate/detectable.js";
import { minutesOf } from "../../src/app/run/estimate/pace.js";

describe("minutes", () => {
  const load = { calls: 600, tokensIn: 900_000, tokensOut: 6000, usd: 0 };
  const unknown = { requests: undefined, tokensIn: undefined, tokensOut: undefined, tokens: undefined };
  test("are those of the tightest limit, or of the calls in flight", () => {
    const at = (limits: Partial<typeof unknown> | Record<string, number>) =>
      minutesOf(load, { inFlight: 10, limits: { ...unknown, ...limits } });
    expect(at({})).toBeCloseTo((900 + 100) / 10 / 60, 9);
    expect(at({ requests: 50 })).toBe(12);
    expect(at({ requests: 50, tokensIn: 30_000 })).toBe(30);
    expect(at({ tokensOut: 100 })).toBe(60);
  });
});

describe("the smallest difference that users can show", () => {
  const of = (users: number, questions: number, kind: "label" | "rating" = "rating") =>
    detectableDifference({ users, questions, kind });

  test("shrinks with users, and less with questions of the same users", () => {
    // t(24) at .975 and .8, over 25 users of one question each, of errors that differ by .6; two questions are added
    const [tested, scatter] = [Math.sqrt(0.36 / 25 + 2 / 625), Math.sqrt(0.36 / 25)];
    expect(of(25, 25)).toBeCloseTo(2.063898561628021 * tested + 0.8568560763 * scatter, 6);
    expect(of(100, 100)).toBeLessThan(of(25, 25)! / 1.9);
    expect(of(25, 100)).toBeGreaterThan(of(25, 25)! / 2.2);
  });

  test("of right answers is scatter less what is gained, and none where it is more than the arms disagree", () => {
    const errors = 2.0686576104190406 + 0.857529; // t(23)
    const ofOne = (1 + (3 - 1) * 0.05) / 72;
    const square = errors ** 2 * (0.2 * ofOne + 2 / 72 ** 2);
    expect(of(24, 72, "label")).toBeCloseTo(Math.sqrt(square / (1 + errors ** 2 * ofOne)), 4);
    expect(of(24, 24, "label")).toBeUndefined();
  });

  test("is none below ten users, of whom nothing is tested", () => {
    expect(of(9, 900)).toBeUndefined();
    expect(of(10, 900)).toBeDefined();
  });
});
