import { describe, expect, it } from "vitest";
import { holm } from "../../src/statistics/holm.js";
import { mcNemar } from "../../src/statistics/mcnemar.js";
import { normalQuantile, normalUpperTail } from "../../src/statistics/normal.js";
import { powerOf } from "../../src/statistics/power.js";
import { deviation } from "../../src/statistics/quantile.js";
import { studentQuantile, studentUpperTail } from "../../src/statistics/student.js";
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

  it("counts out up to 50 distinct differences, and approximates beyond", () => {
    const differences = Array.from({ length: 51 }, (_, i) => (i + 1) * (i % 3 === 0 ? -1 : 1));
    expect(signedRank(differences.slice(0, 50)).method).toBe("exact");
    expect(signedRank(differences).method).toBe("normal");
  });

  it("is certain of nothing where gains and losses are alike", () => {
    expect(signedRank([1, -2, -3, 4])).toEqual({ p: 1, method: "exact", effect: 0 });
    expect(signedRank([1, -1, 2, -2])).toEqual({ p: 1, method: "normal", effect: 0 });
  });

  it("has the difference of the rank sums as effect, ties at their mean rank", () => {
    expect(signedRank([3, -1, 2]).effect).toBeCloseTo((5 - 1) / 6, 12);
    expect(signedRank([1, 1, -1, 5]).effect).toBeCloseTo((8 - 2) / 10, 12);
    expect(signedRank([0, 3, -1, 2]).effect).toBeCloseTo((5 - 1) / 6, 12);
  });

  it("has effect 1 when every difference is a gain and -1 when every one is a loss", () => {
    expect(signedRank([1, 2, 3]).effect).toBe(1);
    expect(signedRank([-1, -2, -3]).effect).toBe(-1);
  });
});

describe("the users needed", () => {
  const once = [{ sd: 0, count: 1 }];
  const scatter = { users: 20, ofUsers: 0.004, ofTwo: 0.0002, repeats: once };
  // t(19) at .975 and .8
  const errors = 2.0930240544082634 + 0.8609505539;

  it("find what has the users here find it: that difference is worth just as many", () => {
    const { detectable } = powerOf(0.1, scatter);
    expect(detectable).toBeCloseTo(errors * Math.sqrt(0.0042), 8);
    expect(powerOf(detectable, scatter).needed).toBe(20);
    expect(powerOf(-detectable, scatter).needed).toBe(20);
    expect(powerOf(detectable - 1e-6, scatter).needed).toBe(21);
  });

  it("are four times as many for half of a difference, in the long run", () => {
    const of = (difference: number) => powerOf(difference, { ...scatter, ofTwo: 0 }).needed!;
    expect(of(0.01) / of(0.02)).toBeCloseTo(4, 1);
    // normal quantiles: (1.95996 + .84162)^2 times the variance of one user
    expect(of(0.002)).toBe(Math.ceil((2.8015852181128906 ** 2 * 20 * 0.004) / 0.002 ** 2));
  });

  it("are none for no difference, and ten at least, below whom nothing is tested", () => {
    expect(powerOf(0, scatter).needed).toBeUndefined();
    expect(powerOf(1e-6, scatter).needed).toBeUndefined(); // more than a million
    expect(powerOf(5, scatter).needed).toBe(10);
  });

  it("cannot be had where noise that whole runs share hides the difference", () => {
    const shared = [{ sd: 0.1, count: 3 }];
    expect(powerOf(0.1, { ...scatter, repeats: shared }).needed).toBeUndefined();
    expect(powerOf(0.1, scatter).needed).toBeGreaterThan(20);
  });
});

it("Wilson's interval stays within 0 and 1, and is for 95 % where nothing else is said", () => {
  for (const level of [0.5, 0.9, 0.95, 0.99])
    for (const count of [1, 3, 7, 10, 49]) {
      expect(wilson(0, count, level).low).toBeGreaterThanOrEqual(0);
      expect(wilson(count, count, level).high).toBeLessThanOrEqual(1);
    }
  expect(wilson(3, 10)).toEqual(wilson(3, 10, 0.95));
});

it("Holm's correction leaves what it is given as it was", () => {
  const ps = [0.04, 0.01, 0.03];
  expect(holm(ps)).toEqual([0.06, 0.03, 0.06]);
  expect(ps).toEqual([0.04, 0.01, 0.03]);
});

describe("Student's tail", () => {
  it("of one degree or two has no digit wrong", () => {
    expect(studentUpperTail(1, 1)).toBe(0.25);
    expect(studentUpperTail(-1, 1)).toBe(0.75);
    for (const [t, degrees] of [
      [0.5, 2],
      [Math.sqrt(1 / 3), 1],
    ] as const)
      expect(Math.abs(studentUpperTail(t, degrees) - 1 / 3)).toBeLessThan(1e-16);
  });

  it.each([1, 2, 3, 4, 7])("of a little more than %i degrees is a little less than theirs", (degrees) => {
    for (const t of [0.3, 1, 2.5]) {
      const less = studentUpperTail(t, degrees) - studentUpperTail(t, degrees + 1e-6);
      expect(less).toBeGreaterThan(0);
      expect(less).toBeLessThan(1e-6);
    }
  });

  it.each([1, 2.5, 6])("of %f degrees below a loss is what is left of that above the gain", (degrees) =>
    expect(studentUpperTail(-1.5, degrees)).toBeCloseTo(1 - studentUpperTail(1.5, degrees), 14),
  );

  it("beyond all doubt takes no time, of however many degrees", () => {
    for (const degrees of [1e12, 1e12 + 1]) expect(studentUpperTail(1e6, degrees)).toBeLessThan(1e-15);
  });
});

it("the standard deviation is the sample's, and none of fewer than two values", () => {
  expect(deviation([1, 2, 3, 4, 5])).toBeCloseTo(Math.sqrt(2.5), 12);
  expect(deviation([2, 4])).toBeCloseTo(Math.SQRT2, 12);
  expect([deviation([]), deviation([3])]).toEqual([undefined, undefined]);
});

describe("the normal quantile", () => {
  it("at a half is 0", () => expect(normalQuantile(0.5)).toBe(0));

  it.each([1e-50, 1e-100, 1e-200, 1e-300])("has a tail of %e beyond it, rare as that is", (share) =>
    expect(normalUpperTail(-normalQuantile(share)) / share).toBeCloseTo(1, 8),
  );

  it.each([1, 1.25, -0.5])("says which share it refuses: %f", (share) =>
    expect(() => normalQuantile(share)).toThrow(`no normal quantile at ${share}`),
  );
});

describe("distributions refuse what they have no answer to", () => {
  it.each([0, 1, -0.1, 1.1, Number.NaN])("a quantile at %f", (share) => {
    expect(() => normalQuantile(share)).toThrow(RangeError);
    expect(() => studentQuantile(share, 5)).toThrow(RangeError);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("Student's t of %f degrees", (degrees) =>
    expect(() => studentUpperTail(1, degrees)).toThrow(RangeError),
  );
});

it("Wilson's interval refuses what is no share", () => {
  expect(() => wilson(-1, 3)).toThrow(RangeError);
  expect(() => wilson(0, 0)).toThrow(RangeError);
  expect(() => wilson(4, 3)).toThrow(RangeError);
});
