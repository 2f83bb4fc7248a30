import { describe, expect, it } from "vitest";
import { accuracy, macroF1, mae, rmse, rouge1, scoreAll } from "../../src/metrics/index.js";
import { isMean } from "../../src/statistics/mean-metric.js";
import { differencesOfSums, pairedDifference } from "../../src/statistics/paired-bootstrap.js";
import { answer, rightOrWrong as metric, moodyUsers } from "./simulations/moody-users.js";

const labels = ["yes", "no"];

describe("the paired difference over users", () => {
  it("is exactly nothing between an arm and itself", () => {
    const clusters = moodyUsers("same", 20, 0.2).map(({ a }) => ({ a, b: a }));
    for (const metric of [accuracy(labels), macroF1(labels)])
      expect(pairedDifference({ metric, clusters, seed: 1, resamples: 200 })).toEqual({
        interval: { low: 0, high: 0 },
        p: 1,
      });
  });

  it("turns its sign when the arms change places", () => {
    const clusters = moodyUsers("sign", 40, 0.1);
    const settings = { metric, seed: 1, resamples: 500 };
    const there = pairedDifference({ ...settings, clusters })!;
    const back = pairedDifference({ ...settings, clusters: clusters.map(({ a, b }) => ({ a: b, b: a })) })!;
    expect(back.interval.low).toBeCloseTo(-there.interval.high, 12);
    expect(back.p).toBe(there.p);
  });

  it("sees through what two arms have in common: the interval is far narrower than without pairing", () => {
    const clusters = Array.from({ length: 40 }, (_, u) => {
      const a = [answer(u % 2 === 0), answer(u % 2 === 0), answer(false)];
      return { a, b: [a[0]!, a[1]!, answer(u % 4 === 0)] };
    });
    const { interval } = pairedDifference({ metric, clusters, seed: 1 })!;
    expect(interval.high - interval.low).toBeLessThan(0.1);
    expect(interval.low).toBeGreaterThan(0);
  });

  it("is undefined below ten users and refuses users of one arm only", () => {
    expect(pairedDifference({ metric, clusters: moodyUsers("few", 9, 0), seed: 1 })).toBeUndefined();
    const lopsided = [...moodyUsers("lopsided", 12, 0), { a: [answer(true)], b: [] }];
    expect(() => pairedDifference({ metric, clusters: lopsided, seed: 1 })).toThrow("a user has pairs in one arm only");
    const crossed = [...lopsided, { a: [], b: [answer(true)] }]; // as many users in both arms, but not the same ones
    expect(() => pairedDifference({ metric, clusters: crossed, seed: 1 })).toThrow("a user has pairs in one arm only");
    expect(() => pairedDifference({ metric, clusters: crossed.slice(-1), seed: 1 })).toThrow("in one arm only");
    expect(pairedDifference({ metric, clusters: moodyUsers("ten", 10, 0), seed: 1, resamples: 50 })).toBeDefined();
    expect(differencesOfSums([], { seed: 1 })).toEqual([]);
  });

  it("has twice the smaller risk as p, never below what two resamples can tell", () => {
    const better = Array.from({ length: 30 }, (_, u) => ({ a: [answer(false)], b: [answer(u % 7 !== 0)] }));
    const { p, interval } = pairedDifference({ metric, clusters: better, seed: 1, resamples: 200 })!;
    expect(interval.low).toBeGreaterThan(0.5);
    expect(p).toBeCloseTo(2 / 201, 12);
  });
});

describe("a metric of one value per question", () => {
  it("is told from a metric of the whole corpus by its definition", () => {
    expect([metric, mae, rouge1].map(isMean)).toEqual([true, true, true]);
    expect([rmse, macroF1(labels)].map(isMean)).toEqual([false, false]);
  });

  it.each([
    ["a sum", 1, (sums: Float64Array) => sums[0]!],
    ["a mean of two sums", 2, (sums: Float64Array, count: number) => sums[0]! / count],
    [
      "what is .75 of 3 in 4 but not .5 of 1 in 2",
      1,
      (sums: Float64Array, count: number) => 1 - sums[0]! / (3 * count),
    ],
    ["what is .5 of 1 in 2 but not .75 of 3 in 4", 1, (sums: Float64Array, count: number) => sums[0]! ** 2 / count],
  ])("is not %s", (_what, width, value) => expect(isMean({ ...metric, width, value })).toBe(false));

  it("has the mean over repeats as the question's value", () =>
    expect(scoreAll(metric, [answer(true), answer(false)])).toBe(0.5));
});
