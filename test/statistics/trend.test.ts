import { describe, expect, test } from "vitest";
import { accuracy, macroF1, rmse } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import { clusterSums } from "../../src/statistics/cluster-sums.js";
import { pairedDifference } from "../../src/statistics/paired-difference.js";
import { trend } from "../../src/statistics/trend.js";
import type { Metric } from "../../src/types/index.js";

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
    for (const [users, ofA, ofB] of [
      [11, once, once],
      [16, once, once],
      [11, { sd: 0.05, count: 3 }, { sd: 0.02, count: 3 }],
    ] as const) {
      const given = { ...request(drawn(users, 2), metric), ...(isRoot ? { isRoot } : {}), repeats: [ofA, ofB] };
      const [a, b] = given.steps;
      const pair = { a: a!, b: b!, questions: given.questions, repeats: { a: ofA, b: ofB }, isRoot, seed: 1 };
      const found = trend(given)!;
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
    expect(trend(request(drawn(10, 3)))).toBeDefined();
  });

  test("of a root of errors is no point and no whole line where nobody errs", () => {
    const { interval } = trend({ ...request(Array(12).fill([4, 4, 4]), rmse), isRoot: true })!;
    expect(interval.high).toBeGreaterThan(0);
    expect(interval.high).toBeLessThan(0.1);
  });

  test("has the same p by users' sums", () => {
    const hits = drawn(13, 3); // above, sums are counted out and answers are drawn
    const userSums = [0, 1, 2].map((j) => hits.map((ofUser) => ofUser[j]!));
    const { p } = trend(request(hits))!;
    expect(trend({ ...request(hits), userSums })!.p).toBeCloseTo(p, 12);
    // Whole answers change places only between steps that ran as often.
    const uneven = { ...request(hits), repeats: [once, once, { sd: 0, count: 2 }] };
    expect(trend(uneven)!.p).toBeLessThan(p);
    expect(trend({ ...uneven, userSums })!.p).toBeCloseTo(p, 12);
  });

  test("pays for the noise of repeats", () => {
    const given = request(drawn(20, 3));
    const noisy = { ...given, repeats: given.repeats.map(() => ({ sd: 0.1, count: 3 })) };
    const width = ({ interval }: { interval: { low: number; high: number } }) => interval.high - interval.low;
    expect(width(trend(noisy)!)).toBeGreaterThan(1.1 * width(trend(given)!));
  });
});
