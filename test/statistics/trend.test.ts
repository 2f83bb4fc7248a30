import { describe, expect, test } from "vitest";
import { accuracy, macroF1, rmse } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import { clusterSums } from "../../src/statistics/cluster-sums.js";
import { pairedDifference } from "../../src/statistics/paired-difference.js";
import { trend } from "../../src/statistics/trend.js";
import type { Metric } from "../../src/types.js";

const once = { sd: 0, count: 1 };
const QUESTIONS = 4;

/** Each user's right answers at each step, of four questions. */
function request(hits: readonly (readonly number[])[], metric: Metric = accuracy(["1", "2"])) {
  const steps = hits[0]!.map((_, j) =>
    clusterSums(
      metric,
      hits.map((ofUser) =>
        Array.from({ length: QUESTIONS }, (_, q) => ({ prediction: q < ofUser[j]! ? "1" : "2", gold: "1" })),
      ),
    ),
  );
  return { steps, questions: hits.length * QUESTIONS, repeats: steps.map(() => once), seed: 1 };
}

const drawn = (users: number, steps: number) => {
  const random = seeded(`${users} x ${steps}`);
  return Array.from({ length: users }, () => Array.from({ length: steps }, () => random.below(QUESTIONS + 1)));
};

describe("a trend", () => {
  test.each([
    ["accuracy", accuracy(["1", "2"]), false],
    ["macro-F1", macroF1(["1", "2"]), false],
    ["RMSE", rmse, true],
  ] as const)("of two steps is their difference: %s", (_, metric, isRoot) => {
    for (const users of [11, 16]) {
      const given = request(drawn(users, 2), metric);
      const [a, b] = given.steps;
      const pair = { a: a!, b: b!, questions: given.questions, repeats: { a: once, b: once }, isRoot, seed: 1 };
      const found = trend({ ...given, isRoot })!;
      const difference = pairedDifference(pair)!;
      expect(found.p).toBeCloseTo(difference.p, 12);
      expect(found.interval.low).toBeCloseTo(difference.interval.low, 12);
      expect(found.interval.high).toBeCloseTo(difference.interval.high, 12);
    }
  });

  test("is the slope of the least-squares line, whose sign turns with the order of the steps", () => {
    const rising = Array.from({ length: 12 }, () => [0, 1, 1, 3]);
    const found = trend(request(rising))!;
    expect(found.slope).toBeCloseTo((-1.5 * 0 - 0.5 * 0.25 + 0.5 * 0.25 + 1.5 * 0.75) / 5, 12);
    expect(found.interval.low).toBeGreaterThan(0);
    expect(found.p).toBeCloseTo(2 / 2 ** 12, 12);
    const turned = trend(request(rising.map((ofUser) => [...ofUser].reverse())))!;
    expect(turned.slope).toBeCloseTo(-found.slope, 12);
    expect(turned.p).toBeCloseTo(found.p, 12);
  });

  test("is no trend where the middle alone is high, is never a point, and needs ten users", () => {
    const middle = trend(request(Array.from({ length: 12 }, () => [0, 4, 0])))!;
    expect(middle).toMatchObject({ slope: 0, p: 1 });
    expect(middle.interval.high).toBeGreaterThan(0);
    expect(trend(request(drawn(9, 3)))).toBeUndefined();
  });

  test("has the same p by users' sums", () => {
    const hits = drawn(16, 3);
    const userSums = [0, 1, 2].map((j) => hits.map((ofUser) => ofUser[j]!));
    expect(trend({ ...request(hits), userSums })!.p).toBeCloseTo(trend(request(hits))!.p, 12);
  });

  test("pays for the noise of repeats", () => {
    const given = request(drawn(20, 3));
    const noisy = { ...given, repeats: given.repeats.map(() => ({ sd: 0.1, count: 3 })) };
    const width = ({ interval }: { interval: { low: number; high: number } }) => interval.high - interval.low;
    expect(width(trend(noisy)!)).toBeGreaterThan(1.1 * width(trend(given)!));
  });
});
