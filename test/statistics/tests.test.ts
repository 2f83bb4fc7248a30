import { describe, expect, it } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { mcNemar } from "../../src/statistics/mcnemar.js";
import { detectableMean, detectableShares, neededForMean, neededForShares } from "../../src/statistics/power.js";
import { signedRank } from "../../src/statistics/wilcoxon.js";
import { wilson } from "../../src/statistics/wilson.js";

describe("McNemar's test", () => {
  it("says nothing without discordant pairs", () => expect(mcNemar(0, 0)).toBe(1));

  it("is small but not absurd for thousands of pairs", () => {
    expect(mcNemar(5000, 5000)).toBe(1);
    expect(mcNemar(5000, 5400)).toBeGreaterThan(1e-5);
    expect(mcNemar(5000, 5400)).toBeLessThan(1e-3);
  });
});

describe("the signed-rank test", () => {
  it("says nothing where nothing differs", () =>
    expect(signedRank([0, 0, 0])).toEqual({ p: 1, method: "exact", effect: 0 }));

  it("takes differences that only rounding tells apart as ties", () => {
    const noisy = signedRank([0.3 - 0.2, 0.2 - 0.1, -(0.8 - 0.7), 0.5]);
    expect(noisy).toEqual(signedRank([0.1, 0.1, -0.1, 0.5]));
    expect(noisy.method).toBe("normal");
    expect(signedRank([0.1 + 0.2 - 0.3, 1, 2]).method).toBe("normal"); // a zero
  });

  it("has effect 1 when every difference is a gain and -1 when every one is a loss", () => {
    expect(signedRank([1, 2, 3]).effect).toBe(1);
    expect(signedRank([-1, -2, -3]).effect).toBe(-1);
  });
});

describe("the number of questions needed", () => {
  it.each([
    { toB: 0.12, toA: 0.08 },
    { toB: 0.3, toA: 0.15 },
  ])("gives McNemar's exact test the stated power, for $toB against $toA", ({ toB, toA }) => {
    const count = neededForShares(toB - toA, toA + toB)!;
    const random = seeded("power");
    const trials = 400;
    let found = 0;
    for (let trial = 0; trial < trials; trial++) {
      let [a, b] = [0, 0];
      for (let question = 0; question < count; question++) {
        const draw = random.next();
        if (draw < toB) b += 1;
        else if (draw < toA + toB) a += 1;
      }
      if (mcNemar(a, b) < 0.05) found += 1;
    }
    expect(found / trials).toBeGreaterThan(0.72); // the exact test is a little conservative
    expect(found / trials).toBeLessThan(0.86);
  });

  it("is the inverse of the detectable difference", () => {
    expect(neededForShares(detectableShares(500, 0.2)!, 0.2)).toBe(500);
    expect(neededForMean(detectableMean(500, 1.3), 1.3)).toBe(500);
  });

  it("is undefined where there is nothing to find", () => {
    expect(neededForShares(0, 0.2)).toBeUndefined();
    expect(neededForMean(0, 1)).toBeUndefined();
    expect(detectableShares(20, 0)).toBeUndefined();
    expect(detectableShares(20, 0.01)).toBeUndefined();
  });

  it("refuses a difference larger than the disagreement", () =>
    expect(() => neededForShares(0.3, 0.2)).toThrow(RangeError));
});

it("Wilson's interval refuses what is no share", () => {
  expect(() => wilson(0, 0)).toThrow(RangeError);
  expect(() => wilson(4, 3)).toThrow(RangeError);
});
