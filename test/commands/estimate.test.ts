import { describe, expect, test } from "vitest";
import { detectableDifference } from "../../src/commands/estimate.js";

describe("the smallest difference that users can show", () => {
  const of = (users: number, questions: number, kind: "label" | "rating" = "rating") =>
    detectableDifference(Array(users).fill(questions / users), kind);

  test("is (t(.975) + t(.8)) se for the assumed spread, and falls less with questions of the same users", () => {
    const t = 2.063898561628021 + 0.8568560763; // 24 degrees
    expect(of(25, 25)).toBeCloseTo(t * Math.sqrt(0.36 / 25), 6);
    expect(of(25, 75, "label")).toBeCloseTo(t * Math.sqrt((0.2 * 1.1) / 75), 6);
    expect(of(100, 100)).toBeLessThan(of(25, 25)! / 1.9);
    expect(of(25, 100)).toBeGreaterThan(of(25, 25)! / 2.2);
  });

  test("goes by the effective number of users", () => {
    const sizes = [...Array(20).fill(1), 30]; // n_e 2500 / 920
    expect(detectableDifference(sizes, "rating")).toBeUndefined();
    const unequal = [...Array(20).fill(1), ...Array(10).fill(4)]; // n_e 3600 / 180
    expect(detectableDifference(unequal, "rating")).toBeCloseTo(
      (2.093024054408263 + 0.8609506) * Math.sqrt((0.36 * 1.1) / 60), // t of 19 degrees
      6,
    );
  });

  test("is none below ten users, of whom nothing is tested", () => {
    expect(of(9, 900)).toBeUndefined();
    expect(of(10, 900)).toBeDefined();
  });
});
