import { describe, expect, test } from "vitest";
import { accuracy, macroF1, mae } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import {
  clusterSums,
  repeatSums,
  valueOfAll,
  valueOfWeighted,
  valuesWithoutOne,
} from "../../src/statistics/cluster-sums.js";
import type { Metric, Pair } from "../../src/types/index.js";

const labels = ["1", "2", "3", "4", "5"];
const metrics = [accuracy(labels), mae, macroF1(labels)];

/** The metric over these pairs, at once. */
function scored(metric: Metric, pairs: readonly Pair[]): number {
  const sums = new Float64Array(metric.width);
  for (const pair of pairs) metric.add(pair, sums);
  return metric.value(sums, pairs.length);
}

/** The mean of the metric over the repeats that have any pairs. */
function overRepeats(metric: Metric, users: readonly (readonly (readonly Pair[])[])[]): number {
  const repeats = Math.max(...users.map((user) => user.length));
  const scores = Array.from({ length: repeats }, (_, r) => users.flatMap((user) => user[r] ?? []))
    .filter((pairs) => pairs.length > 0)
    .map((pairs) => scored(metric, pairs));
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

const random = seeded("sums");
const pairs = (least: number): Pair[] =>
  Array.from({ length: least + random.below(4) }, () => ({
    gold: labels[random.below(5)]!,
    prediction: labels[random.below(5)]!,
  }));

describe("sums by user", () => {
  test.each([1, 2, 3])("of %i repeats give the mean of their scores, over all users and without each", (repeats) => {
    for (const metric of metrics)
      for (const count of [2, 7, 40]) {
        const users = Array.from({ length: count }, (_, u) =>
          Array.from({ length: repeats - (u % 2 === 1 && repeats > 1 ? 1 : 0) }, () => pairs(1)),
        );
        const sums = repeatSums(metric, users);
        expect(valueOfAll(sums)).toBeCloseTo(overRepeats(metric, users), 12);
        expect([...sums.counts]).toEqual(users.map((user) => user.flat().length));
        for (const [u, value] of valuesWithoutOne(sums).entries())
          expect(value).toBeCloseTo(
            overRepeats(
              metric,
              users.filter((_, other) => other !== u),
            ),
            12,
          );
      }
  });

  test("count a user as often as a draw holds it", () => {
    for (const metric of metrics) {
      const users = [pairs(1), pairs(1), pairs(2)];
      const [first, , third] = users;
      const value = valueOfWeighted(clusterSums(metric, users), Int32Array.of(1, 0, 2), new Float64Array(metric.width));
      expect(value).toBeCloseTo(scored(metric, [...first!, ...third!, ...third!]), 12);
    }
  });

  test("leave out users and repeats without a pair", () => {
    for (const metric of metrics) {
      const [one, other] = [pairs(2), pairs(2)];
      const sums = repeatSums(metric, [
        [one, []],
        [[], []],
        [other, []],
      ]);
      expect([...sums.counts]).toEqual([one.length, other.length]);
      expect(valueOfAll(sums)).toBeCloseTo(scored(metric, [...one, ...other]), 12);
    }
  });

  test("know which metrics are shares: means of numbers from 0 to 1 that are better the higher", () =>
    expect(metrics.map((metric) => clusterSums(metric, [pairs(1)]).isShare)).toEqual([true, false, false]));
});
