import { describe, expect, it } from "vitest";
import { accuracy, macroF1, mae, rmse } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import { bound, pAtLeast, pAtMost, quantile, resampled } from "../../src/statistics/bca.js";
import { clusterInterval, intervalsOfSums } from "../../src/statistics/bootstrap.js";
import { clusterSums, repeatSums, valueOfAll, valuesWithoutOne } from "../../src/statistics/cluster-sums.js";
import { normalQuantile } from "../../src/statistics/normal.js";
import { resample } from "../../src/statistics/resample.js";
import { wilson } from "../../src/statistics/wilson.js";
import type { Pair } from "../../src/types.js";

const labels = ["yes", "no"];
const metric = accuracy(labels);
const answer = (right: boolean): Pair => ({ prediction: right ? "yes" : "no", gold: "yes" });

/** `users` users of `size` answers each, right with the given chance; all answers of a user equal when `alike`. */
function population(users: number, size: number, chance: number, alike = false): Pair[][] {
  const random = seeded("population");
  return Array.from({ length: users }, () => {
    const mood = random.next() < chance;
    return Array.from({ length: size }, () => answer(alike ? mood : random.next() < chance));
  });
}

describe("the interval over users", () => {
  it("is as wide as the normal approximation where users have one independent answer", () => {
    const clusters = population(400, 1, 0.3);
    const share = clusters.flat().filter(({ prediction }) => prediction === "yes").length / 400;
    const half = 1.96 * Math.sqrt((share * (1 - share)) / 400);
    const { low, high } = clusterInterval({ metric, clusters, seed: 1 })!;
    expect(low).toBeGreaterThan(share - 1.15 * half);
    expect(low).toBeLessThan(share - 0.85 * half);
    expect(high).toBeLessThan(share + 1.15 * half);
    expect(high).toBeGreaterThan(share + 0.85 * half);
  });

  it("does not shrink when a user's answers only repeat each other", () => {
    const once = clusterInterval({ metric, clusters: population(60, 1, 0.5, true), seed: 1 })!;
    const often = clusterInterval({ metric, clusters: population(60, 20, 0.5, true), seed: 1 })!;
    expect(often.high - often.low).toBeCloseTo(once.high - once.low, 10);
  });

  it.each([
    [[false, false], 0],
    [[true], 80],
    [[true, false], 40],
  ])("is Wilson's over users, never a point, where all users have the same value: %j", (answers, hits) => {
    const clusters = Array.from({ length: 80 }, () => answers.map(answer));
    expect(clusterInterval({ metric, clusters, seed: 1 })).toEqual(wilson(hits, 80));
  });

  it("is undefined for errors and for macro-F1 where all users have the same value", () => {
    const wrong = Array.from({ length: 80 }, () => [answer(false)]);
    expect(clusterInterval({ metric: macroF1(labels), clusters: wrong, seed: 1 })).toBeUndefined();
    const exact = Array.from({ length: 80 }, () => [{ prediction: "3", gold: "3" }]);
    for (const error of [mae, rmse])
      expect(clusterInterval({ metric: error, clusters: exact, seed: 1 })).toBeUndefined();
  });

  it("weighs users by their questions, as the metric itself", () => {
    const clusters = [
      ...Array.from({ length: 11 }, () => [answer(false)]),
      Array.from({ length: 1000 }, () => answer(true)),
    ];
    const { low, high } = clusterInterval({ metric, clusters, seed: 1 })!;
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(0.99);
  });

  it("is undefined below ten users, and users without pairs do not count", () => {
    const nine = population(9, 5, 0.5);
    expect(clusterInterval({ metric, clusters: nine, seed: 1 })).toBeUndefined();
    expect(clusterInterval({ metric, clusters: [...nine, [], []], seed: 1 })).toBeUndefined();
    expect(clusterInterval({ metric, clusters: population(10, 5, 0.5), seed: 1 })).toBeDefined();
  });

  it("repeats for one seed, moves with the seed, and is the same from sums added before", () => {
    const clusters = population(30, 3, 0.5);
    const first = clusterInterval({ metric: macroF1(labels), clusters, seed: "a" });
    expect(clusterInterval({ metric: macroF1(labels), clusters, seed: "a" })).toEqual(first);
    const sums = [metric, macroF1(labels)].map((one) => clusterSums(one, clusters));
    expect(intervalsOfSums(sums, { seed: "a" })[1]).toEqual(first);
    expect(clusterInterval({ metric: macroF1(labels), clusters, seed: "b" })).not.toEqual(first);
  });

  it("widens with the level", () => {
    const clusters = population(40, 2, 0.5);
    const narrow = clusterInterval({ metric, clusters, seed: 1, level: 0.5 })!;
    const wide = clusterInterval({ metric, clusters, seed: 1, level: 0.99 })!;
    expect(wide.low).toBeLessThan(narrow.low);
    expect(wide.high).toBeGreaterThan(narrow.high);
  });

  it("resamples the metric, not a mean of users: RMSE stays at or above MAE", () => {
    const random = seeded("ratings");
    const clusters = Array.from({ length: 25 }, () =>
      Array.from({ length: 4 }, () => ({ prediction: String(1 + random.below(5)), gold: String(1 + random.below(5)) })),
    );
    const absolute = clusterInterval({ metric: mae, clusters, seed: 3 })!;
    const squared = clusterInterval({ metric: rmse, clusters, seed: 3 })!;
    expect(squared.low).toBeGreaterThan(absolute.low);
    expect(squared.high).toBeGreaterThan(absolute.high);
  });
});

it("quantiles interpolate between order statistics", () => {
  const values = Float64Array.from([1, 2, 4, 8]);
  expect([0, 0.5, 1].map((share) => quantile(values, share))).toEqual([1, 3, 8]);
  expect(quantile(values, 0.1)).toBeCloseTo(1.3, 12);
});

describe("several metrics of the same users", () => {
  it("share their draws, so that each has the values it would have alone", () => {
    const clusters = population(30, 3, 0.5);
    const sums = [metric, macroF1(labels)].map((one) => clusterSums(one, clusters));
    const together = resample(sums, 50, 7);
    expect(sums.map((one) => resample([one], 50, 7)[0])).toEqual(together);
  });

  it("draw as many users as there are, and none where there are no metrics", () => {
    const counted = { ...metric, value: (_sums: Float64Array, pairs: number) => pairs };
    const sums = clusterSums(counted, population(30, 2, 0.5));
    expect([...resample([sums], 20, 1)[0]!].every((pairs) => pairs === 60)).toBe(true);
    expect(resample([], 20, 1)).toEqual([]);
    expect(intervalsOfSums([], { seed: 1 })).toEqual([]);
  });

  it("are refused where the users are not the same number", () => {
    const sums = [30, 31].map((users) => clusterSums(metric, population(users, 1, 0.5)));
    expect(() => resample(sums, 10, 1)).toThrow(RangeError);
  });
});

describe("an arm that ran several times", () => {
  const answers = (...hits: readonly boolean[]) => hits.map(answer);

  it("has the mean over its repeats, whatever failed in one of them", () => {
    const sums = repeatSums(metric, [
      [answers(true, false), answers(true)],
      [[], answers(false)],
    ]);
    expect(valueOfAll(sums)).toBeCloseTo((1 / 2 + 1 / 2) / 2, 12);
    expect([...valuesWithoutOne(sums)]).toEqual([0, 0.75]);
    expect(
      repeatSums(metric, [
        [[], []],
        [[], answers(true)],
      ]).counts,
    ).toHaveLength(1);
  });

  it("is resampled as that mean, which for metrics of the whole corpus is not the metric of all pairs", () => {
    const random = seeded("repeats");
    const rating = (spread: number) => ({ gold: "3", prediction: String(3 + random.below(spread) - (spread >> 1)) });
    const clusters = Array.from({ length: 40 }, () => [1, 2, 5].map((spread) => [rating(spread), rating(spread)]));
    const sums = repeatSums(rmse, clusters);
    const pooled = valueOfAll(
      clusterSums(
        rmse,
        clusters.map((repeats) => repeats.flat()),
      ),
    );
    const [interval] = intervalsOfSums([sums], { seed: 1 });
    expect(interval!.low).toBeLessThan(valueOfAll(sums));
    expect(interval!.high).toBeGreaterThan(valueOfAll(sums));
    expect(pooled).toBeGreaterThan(interval!.high);
  });

  it("is as it always was where it ran once", () => {
    const clusters = population(30, 3, 0.5);
    const [f1, once] = [macroF1(labels), clusters.map((pairs) => [pairs])];
    expect(repeatSums(f1, once)).toEqual(clusterSums(f1, clusters));
  });
});

describe("the correction for few users", () => {
  it("widens an interval of few users by t and the root of n / (n - 1), one of many hardly", () => {
    const width = (users: number) => {
      const clusters = population(users, 4, 0.5);
      const sums = clusterSums(metric, clusters);
      const sorted = resample([sums], 1000, 1)[0]!.sort();
      const { low, high } = clusterInterval({ metric, clusters, seed: 1, resamples: 1000 })!;
      return (high - low) / (quantile(sorted, 0.975) - quantile(sorted, 0.025));
    };
    expect(width(12)).toBeGreaterThan(1.1);
    expect(width(12)).toBeLessThan(1.25);
    expect(width(400)).toBeLessThan(1.03);
  });
});

describe("bounds and risks", () => {
  const clusters = population(20, 4, 0.3);
  const made = () => {
    const sums = clusterSums(metric, clusters);
    return resampled(valueOfAll(sums), resample([sums], 4000, 1)[0]!, valuesWithoutOne(sums));
  };

  it("agree: the bound at a confidence is the number whose risk is one minus it", () => {
    const found = made();
    for (const confidence of [0.8, 0.95, 0.99]) {
      const low = bound(found, 1 - confidence);
      expect(pAtMost(found, low + 0.015)).toBeGreaterThan(1 - confidence);
      expect(pAtMost(found, low - 0.015)).toBeLessThan(1 - confidence);
      const high = bound(found, confidence);
      expect(pAtLeast(found, high - 0.015)).toBeGreaterThan(1 - confidence);
      expect(pAtLeast(found, high + 0.015)).toBeLessThan(1 - confidence);
    }
  });

  it("are never a risk of zero", () => {
    const found = made();
    expect(pAtMost(found, -1)).toBeGreaterThan(0);
    expect(pAtLeast(found, 2)).toBeGreaterThan(0);
    expect(pAtMost(found, 2)).toBe(1);
  });
});

it("a skewed difference far from nothing has a p of its distance, where the skew would stretch the last resample to it", () => {
  const sorted = Float64Array.from({ length: 10_000 }, (_, i) => -1 + 0.13 * normalQuantile((i + 0.5) / 10_000));
  const found = { estimate: -1, error: 0.13, sorted, clusters: 24, bias: 0, acceleration: 0.3 };
  expect(bound(found, 0.975)).toBeLessThan(-0.4); // nothing lies near 0
  expect(pAtLeast(found, 0)).toBe(1 / 10_001);
  expect(pAtLeast({ ...found, estimate: -0.5, sorted: sorted.map((value) => value + 0.5) }, 0)).toBeCloseTo(0.0005, 3);
});
