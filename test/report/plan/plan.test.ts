import { describe, expect, test } from "vitest";
import { detectableDifference } from "../../../src/report/plan/detectable.js";
import { forecastOf, type PilotUser } from "../../../src/report/plan/forecast.js";
import { minutesOf } from "../../../src/report/plan/minutes.js";
import { pilotText } from "../../../src/report/plan/pilot-text.js";

describe("minutes", () => {
  const load = { calls: 600, tokensIn: 900_000, tokensOut: 6000 };
  test("are those of the tightest limit, or of the calls in flight", () => {
    const pace = { inFlight: 10, secondsPerCall: 1 };
    expect(minutesOf(load, { ...pace, limits: {} })).toBeCloseTo((600 + 100) / 10 / 60, 9);
    expect(minutesOf(load, { ...pace, limits: { requests: 50 } })).toBe(12);
    expect(minutesOf(load, { ...pace, limits: { requests: 50, tokensIn: 30_000 } })).toBe(30);
    expect(minutesOf(load, { ...pace, limits: { tokensOut: 100 } })).toBe(60);
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

describe("the forecast of a pilot", () => {
  const user = (size: number, usd: number | undefined): PilotUser => ({
    ...{ size, usd, calls: 2 * size, tokensIn: 10 * size, tokensOut: size },
  });
  const five = [1, 2, 3, 4, 5].map((size) => user(size, size));
  const nothing = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

  test("holds what was spent, the rest by its size, and what all users share once", () => {
    const shared = { calls: 1, tokensIn: 7, tokensOut: 1, usd: 0.5 };
    const found = forecastOf([{ users: five, rest: { count: 10, size: 30 } }], shared);
    expect(found).toMatchObject({ calls: 30 + 60 + 1, tokensIn: 150 + 300 + 7, tokensOut: 15 + 30 + 1, usd: 45.5 });
    expect(found.interval).toEqual({ low: 45.5, high: 45.5 }); // cost is size: no scatter
  });

  test("never foretells less than is spent, and adds the widths of tasks as independent errors", () => {
    const wild = [1, 1, 1, 1, 1].map((size, i) => user(size, i === 0 ? 10 : 0.1));
    const one = { users: wild, rest: { count: 5, size: 5 } };
    const [single, double] = [forecastOf([one], nothing), forecastOf([one, one], nothing)];
    expect(single.interval?.low).toBeCloseTo(10.4, 9);
    const half = (single.interval?.high ?? 0) - (single.usd ?? 0);
    expect((double.interval?.high ?? 0) - (double.usd ?? 0)).toBeCloseTo(half * Math.SQRT2, 9);
  });

  test("has no interval below five users and no dollars without a price, and says so with dashes", () => {
    expect(forecastOf([{ users: five.slice(1), rest: { count: 1, size: 1 } }], nothing).interval).toBeUndefined();
    const unpriced = forecastOf([{ users: [...five, user(1, undefined)], rest: { count: 1, size: 1 } }], nothing);
    expect(unpriced).toMatchObject({ usd: undefined, interval: undefined });
    const line = {
      task: "t",
      method: "m",
      forecast: unpriced,
      inBatches: undefined,
      minutes: undefined,
      failed: 0,
      unparsed: 0.5,
      cut: 0.014,
      cacheRead: 0,
    };
    expect(pilotText([], line)).toMatch(/^t +m +34 +- +- +- +- +0 % +50 % +1\.4 % +0 %$/m);
  });
});
