import { describe, expect, test } from "vitest";
import { accuracy, macroF1, mae, rmse } from "../../src/metrics/index.js";
import { seeded } from "../../src/random/seeded.js";
import type { ScoredRow } from "../../src/report/pairs.js";
import { intervalOfRows } from "../../src/report/score-interval.js";
import { clusterSums, valuesWithoutOne } from "../../src/statistics/cluster-sums.js";
import { betaInterval, exactEnds, jackknifed, scoreInterval, withRepeats } from "../../src/statistics/interval.js";
import { jackknifeVariance } from "../../src/statistics/loss.js";
import { normalQuantile } from "../../src/statistics/normal.js";
import { pairedDifference, studentDifference, swapP } from "../../src/statistics/paired-difference.js";
import { studentQuantile, studentUpperTail } from "../../src/statistics/student.js";
import { answered, hits, metric, once } from "../helpers/answered-users.js";

// Values in rational or 30-digit arithmetic, from the design of these tests (docs/STATISTICS.md).
const near = (value: number, expected: number, within = 1e-9) =>
  expect(Math.abs(value - expected)).toBeLessThan(within);

describe("the interval of a score", () => {
  test.each([
    [0.6, 0.05, 30, 300, 0.490153059658, 0.702931045005],
    [0.95, 0.02, 10, 155, 0.882098425832, 0.984928346168],
    [0.6, 0.01, 30, 300, 0.539516374796, 0.658308205432],
  ])(
    "of %f with error %f over %i users and at most %i answers is Korn and Graubard's",
    (value, error, users, most, low, high) => {
      const found = betaInterval({ value, variance: error ** 2, degrees: users - 1, users, most });
      near(found.low, low);
      near(found.high, high);
    },
  );

  test("of users of unequal sizes has the jackknife's error", () => {
    const counts = [4, 3, 2, 6, 2, 5, 4, 2, 3, 4];
    const right = [3, 1, 2, 5, 0, 4, 2, 2, 1, 3];
    const sums = clusterSums(
      metric,
      counts.map((count, u) => hits(right[u]!, count)),
    );
    near(jackknifeVariance(23 / 35, valuesWithoutOne(sums)), 0.0061981407464);
    const found = answered(
      sums,
      counts.flatMap((count, u) => hits(right[u]!, count).map(({ prediction }) => (prediction === "yes" ? 1 : 0))),
    );
    near(found.low, 0.447791291169);
    near(found.high, 0.82958115762);
  });

  test("of users who are all right is never a point", () => {
    const sums = clusterSums(
      metric,
      Array.from({ length: 30 }, () => hits(3, 3)),
    );
    const found = answered(sums, Array(90).fill(1));
    near(found.low, 0.874682757825);
    expect(found.high).toBe(1);
    near(30 * (normalQuantile(0.975) / studentQuantile(0.975, 29)) ** 2, 27.55074073242);
  });

  // All but one answer is alike: of users who are all alike one more, wholly other, would be as likely as not to be missed.
  test("near an end of the scale reaches as far as one more user who fails, whichever end it is", () => {
    const all = (right: number) =>
      Array.from({ length: 30 }, (_, u) => hits(u === 0 ? Math.abs(right - 1) : right, 40));
    const values = (users: ReturnType<typeof all>) =>
      users.flat().map(({ prediction }) => (prediction === "yes" ? 1 : 0));
    const [strong, weak] = [all(40), all(0)];
    const top = answered(clusterSums(metric, strong), values(strong));
    const bottom = answered(clusterSums(metric, weak), values(weak));
    expect(top.low).toBeLessThan(0.15 ** (1 / 30));
    expect(top.low).toBeGreaterThan(0.93);
    near(bottom.high, 1 - top.low);
    const errors = Float64Array.from({ length: 300 }, (_, q) => (q === 0 ? 2 : 0));
    const sums = clusterSums(
      mae,
      Array.from({ length: 30 }, (_, u) =>
        Array.from({ length: 10 }, (_, q) => ({ prediction: "1", gold: u + q === 0 ? "3" : "1" })),
      ),
    );
    // As far as a user whose errors are the largest that were seen; none of 4 was.
    const { high } = scoreInterval({ sums, range: 4, repeats: once, values: errors, answers: false })!;
    expect(high).toBeGreaterThan(2 * (1 - 0.15 ** (1 / 30)));
    expect(high).toBeLessThan(2 * (1 - 0.15 ** (1 / 30)) + 0.01);
  });

  test("of a mean over labels is centred where the jackknife puts it", () => {
    // Gold and answer, x unreadable.
    const users = ["00 00 10", "11 22 00", "2x 00", "11 11 22 00"].map((questions) =>
      questions.split(" ").map(([gold = "", prediction = ""]) => ({ gold, prediction })),
    );
    const metric = macroF1(["0", "1", "2"]);
    const { value, unbiased, variance } = jackknifed(clusterSums(metric, users));
    near(value, 0.8554112554113);
    const withoutOne = [0.9333333333333, 0.7851851851852, 0.9153439153439, 0.7407407407407];
    for (const [u, without] of valuesWithoutOne(clusterSums(metric, users)).entries()) near(without, withoutOne[u]!);
    near(unbiased, 0.8906926406926);
    near(variance, 0.02080860137137);
    const twelve = clusterSums(
      metric,
      Array.from({ length: 12 }, (_, u) => users[u % 4]!),
    );
    const found = scoreInterval({ sums: twelve, range: 1, repeats: once, answers: true })!;
    const own = jackknifed(twelve);
    const beta = { value: own.unbiased, variance: own.variance, degrees: 11, users: 12, most: 33 };
    near(found.low, Math.min(own.value, betaInterval(beta).low));
    near(found.high, Math.max(own.value, betaInterval(beta).high));
  });

  test("of errors has the wider of its ends and the exact ones over questions", () => {
    const ratings = exactEnds(Float64Array.from([...Array(14).fill(0), ...Array(4).fill(1), 2, 4]), 4);
    near(ratings.low, 0.1742304506038);
    near(ratings.high, 1.264752687946);
    const shares = exactEnds(Float64Array.from([...Array(12).fill(1), ...Array(8).fill(0)]), 1);
    near(shares.low, 0.3605425873075);
    near(shares.high, 0.8088099392747);
  });

  test("pays for the noise that repeats share, with the degrees that they have", () => {
    const { variance, degrees } = withRepeats(0.0004, 100, [{ sd: 0.03, count: 3 }]);
    near(degrees, 10.511375948);
    near(studentQuantile(0.975, degrees) * Math.sqrt(variance), 0.0585645687461);
    expect(withRepeats(0.0004, 100, [{ sd: 0.03, count: 1 }])).toEqual({ variance: 0.0004, degrees: 99 });
  });

  test("of an arm's rows holds its score, is a dash below ten users, and is that of no seed", () => {
    const random = seeded("rows");
    const rows = (users: number, repeats: number): ScoredRow[] =>
      Array.from({ length: users * 3 * repeats }, (_, i) => ({
        cell: `c${i % repeats}`,
        user: `u${Math.floor(i / (3 * repeats))}`,
        unit: "u",
        question: `q${Math.floor(i / repeats)}`,
        gold: "3",
        outcome: { kind: "answered", reply: String(1 + random.below(5)) },
        spend: {},
        incidents: {},
      }));
    for (const one of [mae, rmse, macroF1(["1", "2", "3"]), accuracy(["1", "2", "3"])]) {
      expect(intervalOfRows(one, rows(9, 1), ["c0"])).toBeUndefined();
      const { low, high } = intervalOfRows(one, rows(12, 2), ["c0", "c1"])!;
      expect(low).toBeLessThan(high);
    }
    const { most: _, ...unknown } = mae;
    expect(intervalOfRows(unknown, rows(12, 1), ["c0"])).toBeUndefined();
  });
});

describe("a difference of two arms", () => {
  const side = (right: readonly number[], of: number) =>
    clusterSums(
      metric,
      right.map((count) => hits(count, of)),
    );
  const request = (gains: readonly number[], of: number) => ({
    a: side(
      gains.map((gain) => Math.max(0, -gain)),
      of,
    ),
    b: side(
      gains.map((gain) => Math.max(0, gain)),
      of,
    ),
    questions: gains.length * of,
    repeats: { a: once, b: once },
    userGains: gains,
    seed: 1,
  });

  test("has the larger of the swap test's p and Student's", () => {
    const given = request([3, -1, 2, 0, 4, 1, -2, 5, 1, 0], 5);
    expect(swapP(given)).toBe(136 / 1024);
    const { difference, error, degrees } = studentDifference(given)!;
    near(error ** 2, 0.0204);
    near(2 * studentUpperTail(difference / error, degrees), 0.102044304664);
    expect(pairedDifference(given)!.p).toBe(136 / 1024);
    const { userGains: _, ...whole } = given;
    expect(swapP(whole)).toBe(136 / 1024);
    const uneven = { a: once, b: { sd: 0, count: 2 } };
    expect(swapP({ ...whole, repeats: uneven })).toBeUndefined();
    expect(swapP({ ...given, repeats: uneven })).toBe(136 / 1024);
  });

  test("is never a point, and leaves 0 out where p is small", () => {
    const { interval, p } = pairedDifference(request(Array(30).fill(0), 10))!;
    near(interval.high, 0.009641304994);
    near(interval.low, -0.009641304994);
    expect(p).toBe(1);
    const random = seeded("differences");
    for (let sample = 0; sample < 30; sample++) {
      const found = pairedDifference(
        request(
          Array.from({ length: 12 }, () => random.below(6) - 2),
          4,
        ),
      )!;
      if (found.p <= 0.05) expect(found.interval.low > 0 || found.interval.high < 0).toBe(true);
    }
    expect(pairedDifference(request(Array(9).fill(1), 4))).toBeUndefined();
    const free = clusterSums(rmse, Array(12).fill([{ prediction: "1", gold: "1" }]));
    const ofErrors = { a: free, b: free, questions: 12, repeats: { a: once, b: once }, isRoot: true, seed: 1 };
    expect(pairedDifference(ofErrors)!.interval.high).toBeGreaterThan(0);
    expect(pairedDifference(ofErrors)!.interval.high).toBeLessThan(1);
  });

  test("is wider where repeats differ", () => {
    const given = request(
      Array.from({ length: 20 }, (_, u) => (u % 3) - 1),
      4,
    );
    const shaken = { ...given, repeats: { a: { sd: 0.05, count: 3 }, b: { sd: 0.05, count: 3 } } };
    const width = (one: typeof given) => pairedDifference(one)!.interval.high - pairedDifference(one)!.interval.low;
    expect(width(shaken)).toBeGreaterThan(width(given) * 1.2);
  });

  test("draws swaps above 13 users, the same with the same seed", () => {
    const given = request(
      Array.from({ length: 40 }, (_, u) => (u % 4) - 1),
      4,
    );
    expect(swapP(given)).toBe(swapP(given));
    expect(swapP(given)).toBeGreaterThan(0.0001);
  });

  test("of a mean over labels swaps whole users: both arms are what the draws leave them", () => {
    const random = seeded("labels");
    const labels = ["a", "b", "c"];
    const users = (): { prediction: string; gold: string }[][] =>
      Array.from({ length: 15 }, (_, u) =>
        Array.from({ length: 3 }, (_, q) => ({ gold: labels[(u + q) % 3]!, prediction: labels[random.below(3)]! })),
      );
    const [ofA, ofB] = [users(), users()];
    const f1 = macroF1(labels);
    const sums = (arm: typeof ofA) => clusterSums(f1, arm);
    const counts = (arm: typeof ofA) =>
      arm.map((own) => {
        const added = new Float64Array(f1.width);
        for (const pair of own) f1.add(pair, added);
        return added;
      });
    const [countsA, countsB] = [counts(ofA), counts(ofB)];
    const value = (of: (u: number) => Float64Array) => {
      const added = new Float64Array(f1.width);
      for (let u = 0; u < 15; u++) for (const [slot, count] of of(u).entries()) added[slot]! += count;
      return f1.value(added, 45);
    };
    const difference = (swapped: readonly number[]) =>
      Math.abs(
        value((u) => (swapped[u] === 1 ? countsA : countsB)[u]!) -
          value((u) => (swapped[u] === 1 ? countsB : countsA)[u]!),
      );
    const given = { a: sums(ofA), b: sums(ofB), questions: 45, repeats: { a: once, b: once }, seed: "s" };
    const seen = difference(Array(15).fill(0));
    const draws = seeded("s");
    let count = 0;
    for (let draw = 0; draw < 9_999; draw++)
      if (difference(Array.from({ length: 15 }, () => draws.below(2))) >= seen - 1e-12) count += 1;
    expect(swapP(given)).toBe((1 + count) / 10_000);
    expect(swapP({ ...given, seed: "t" })).not.toBe(swapP(given));
    swapP(request(Array(20).fill(1), 4));
    expect(swapP(given)).toBe((1 + count) / 10_000);
  });
});
