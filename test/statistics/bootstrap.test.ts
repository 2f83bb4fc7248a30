import { describe, expect, it } from "vitest";
import { accuracy, macroF1, mae, rmse } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import { clusterInterval, clusterSums, intervalOfSums, quantile } from "../../src/statistics/bootstrap.js";
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

  it("is a point where all users agree", () => {
    const clusters = Array.from({ length: 12 }, () => [answer(true), answer(false)]);
    expect(clusterInterval({ metric, clusters, seed: 1 })).toEqual({ low: 0.5, high: 0.5 });
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
    expect(intervalOfSums(clusterSums(macroF1(labels), clusters), { seed: "a" })).toEqual(first);
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
