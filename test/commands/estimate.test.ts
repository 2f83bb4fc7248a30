import { describe, expect, test } from "vitest";
import { detectableDifference, minutesOf } from "../../src/commands/estimate.js";

describe("minutes", () => {
  const load = { calls: 600, tokensIn: 900_000, tokensOut: 6000, usd: 0 };
  test("are those of the tightest limit, or of the calls in flight", () => {
    const at = (limits: Record<string, number>) => minutesOf(load, { inFlight: 10, limits });
    expect(at({})).toBeCloseTo((900 + 100) / 10 / 60, 9);
    expect(at({ requests: 50 })).toBe(12);
    expect(at({ requests: 50, input: 30_000 })).toBe(30);
    expect(at({ output: 100 })).toBe(60);
  });
});

describe("the smallest difference that users can show", () => {
  const of = (users: number, questions: number, kind: "label" | "rating" = "rating") =>
    detectableDifference({ users, questions, kind });

  test("is (t(.975) + t(.8)) se for the assumed spread, and falls less with questions of the same users", () => {
    const t = 2.063898561628021 + 0.8568560763; // 24 degrees
    expect(of(25, 25)).toBeCloseTo(t * Math.sqrt(0.36 / 25), 6);
    expect(of(25, 75, "label")).toBeCloseTo(t * Math.sqrt((0.2 * 1.1) / 75), 6);
    expect(of(100, 100)).toBeLessThan(of(25, 25)! / 1.9);
    expect(of(25, 100)).toBeGreaterThan(of(25, 25)! / 2.2);
  });

  test("is none below ten users, of whom nothing is tested", () => {
    expect(of(9, 900)).toBeUndefined();
    expect(of(10, 900)).toBeDefined();
  });
});
