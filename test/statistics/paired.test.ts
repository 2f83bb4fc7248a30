import { describe, expect, it } from "vitest";
import { accuracy, macroF1, mae, rmse, rouge1, scoreAll } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import { isMean } from "../../src/statistics/mean-metric.js";
import { type PairedCluster, pairedDifference } from "../../src/statistics/paired-bootstrap.js";

import type { Pair } from "../../src/types.js";

const labels = ["yes", "no"];
const metric = accuracy(labels);
const answer = (right: boolean): Pair => ({ prediction: right ? "yes" : "no", gold: "yes" });

/**
 * Users with moods: all answers of a user share a chance drawn around 1/2, and arm B is right more often by `gain`.
 * The true difference of the population is `gain`.
 */
function moodyUsers(seed: string, users: number, gain: number): PairedCluster[] {
  const random = seeded(seed);
  return Array.from({ length: users }, () => {
    const chance = 0.2 + 0.4 * random.next();
    const own = gain + 0.3 * (random.next() - 0.5); // the gain differs between users, too
    const size = 1 + random.below(8);
    const draw = (share: number) => Array.from({ length: size }, () => answer(random.next() < share));
    return { a: draw(chance), b: draw(chance + own) };
  });
}

describe("the paired difference over users", () => {
  it("covers the true difference in 93 to 97 of 100 samples of users with unequal, dependent answers", () => {
    const samples = 500;
    let covered = 0;
    for (let sample = 0; sample < samples; sample++) {
      const clusters = moodyUsers(`sample ${sample}`, 80, 0.1);
      const { interval } = pairedDifference({ metric, clusters, seed: sample, resamples: 600 })!;
      if (interval.low <= 0.1 && 0.1 <= interval.high) covered += 1;
    }
    expect(covered / samples).toBeGreaterThanOrEqual(0.93);
    expect(covered / samples).toBeLessThanOrEqual(0.97);
  });

  it("raises a false alarm in about 5 of 100 samples without a difference", () => {
    const samples = 500;
    let alarms = 0;
    for (let sample = 0; sample < samples; sample++) {
      const clusters = moodyUsers(`null ${sample}`, 80, 0);
      if (pairedDifference({ metric, clusters, seed: sample, resamples: 600 })!.p < 0.05) alarms += 1;
    }
    expect(alarms / samples).toBeGreaterThan(0.025);
    expect(alarms / samples).toBeLessThan(0.075);
  });

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
    expect(() => pairedDifference({ metric, clusters: lopsided, seed: 1 })).toThrow(RangeError);
  });
});

describe("a metric of one value per question", () => {
  it("is told from a metric of the whole corpus by its definition", () => {
    expect([metric, mae, rouge1].map(isMean)).toEqual([true, true, true]);
    expect([rmse, macroF1(labels)].map(isMean)).toEqual([false, false]);
  });

  it("has the mean over repeats as the question's value", () =>
    expect(scoreAll(metric, [answer(true), answer(false)])).toBe(0.5));
});
