import { describe, expect, test } from "vitest";
import { macroF1, mae } from "../../src/metrics/index.js";
import { clusterSums, repeatSums } from "../../src/statistics/cluster-sums.js";
import { betaInterval, exactEnds, jackknifed, scoreInterval } from "../../src/statistics/interval.js";
import { race } from "../../src/statistics/race.js";
import { answered, hits, metric, once } from "../helpers/answered-users.js";

const near = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThan(1e-9);

describe("the interval of a score", () => {
  test("ends near an end of the scale where these users and one of mean size who is all wrong, or all right, have a p of 15 in 100", () => {
    const counts = Array.from({ length: 30 }, (_, u) => 20 + ((7 * u) % 31));
    const all = counts.reduce((sum, count) => sum + count, 0);
    const wrong = (u: number) => (u < 3 ? u + 1 : 0);
    const [strong, weak] = [
      counts.map((count, u) => hits(count - wrong(u), count)),
      counts.map((count, u) => hits(wrong(u), count)),
    ];
    const values = (users: typeof strong) => users.flat().map(({ prediction }) => (prediction === "yes" ? 1 : 0));
    const { low } = answered(clusterSums(metric, strong), values(strong));
    const { high } = answered(clusterSums(metric, weak), values(weak));
    const failing = race(
      counts.map((count, u) => (count - wrong(u) - low * count) / all),
      low / 30,
    );
    const succeeding = race(
      counts.map((count, u) => (high * count - wrong(u)) / all),
      (1 - high) / 30,
    );
    near(failing, 0.15);
    near(succeeding, 0.15);
  });

  test("of a mean over labels is that of at most as many answers as there are questions, however often they were asked", () => {
    const user = (wrong: number) =>
      Array.from({ length: 8 }, (_, q) => ({ gold: `${q % 2}`, prediction: `${q < wrong ? 1 - (q % 2) : q % 2}` }));
    const users = Array.from({ length: 12 }, (_, u) => user(u === 0 ? 3 : 2));
    const sums = repeatSums(
      macroF1(["0", "1"]),
      users.map((own) => [own, own]),
    );
    const { unbiased, variance } = jackknifed(sums);
    const beta = betaInterval({ value: unbiased, variance, degrees: 11, users: 12, most: 96 });
    const found = scoreInterval({ sums, range: 1, repeats: { sd: 0, count: 2 }, answers: false })!;
    near(found.low, beta.low);
    near(found.high, beta.high);
  });

  test("of a mean over labels that is 0 begins there", () => {
    const wrong = Array.from({ length: 1_002 }, (_, u) => [{ gold: `${u % 2}`, prediction: `${1 - (u % 2)}` }]);
    const sums = clusterSums(macroF1(["0", "1"]), wrong);
    expect(scoreInterval({ sums, range: 1, repeats: once, answers: false })!.low).toBe(0);
  });

  const errors = (of: (u: number, q: number) => number, users: number, unit = 1, perUser = 10) => {
    const own = (u: number) => Array.from({ length: perUser }, (_, q) => of(u, q) * unit);
    const all = Array.from({ length: users }, (_, u) => own(u));
    const sums = clusterSums(
      mae,
      all.map((values) => values.map((value) => ({ gold: "1", prediction: `${1 + value}` }))),
    );
    return { sums, range: 4 * unit, values: Float64Array.from(all.flat()), answers: false };
  };

  test("of errors whose users hardly differ is narrower than that of right answers, with the ends that questions have", () => {
    const given = errors((u, q) => (q < 3 + (u % 3) ? 4 : 0), 12);
    const found = scoreInterval({ ...given, repeats: once })!;
    const { value, variance } = jackknifed(given.sums, 4);
    const asAnswers = betaInterval({ value, variance, degrees: 11, users: 12, most: 120 });
    const exact = exactEnds(given.values, 4);
    expect(found.high).toBeLessThan(4 * asAnswers.high - 0.04);
    expect(found.low).toBeGreaterThan(4 * asAnswers.low + 0.04);
    near(found.high, exact.high);
    near(found.low, exact.low);
  });

  test("of errors pays for an unseen user up to 1,000, and for an unseen question up to 20,000; beyond is that of the error alone", () => {
    const of = (users: number, perUser: number) => {
      const given = errors((u, q) => (u < 2 ? 2 : 1.99 + (q % 2) / 100), users, 1, perUser);
      const { value, variance } = jackknifed(given.sums, 4);
      const error = betaInterval({ value, variance, degrees: users - 1, users });
      return { ...given, found: scoreInterval({ ...given, repeats: once })!, error };
    };
    const many = of(1_001, 20);
    near(many.found.low, 4 * many.error.low);
    near(many.found.high, 4 * many.error.high);
    const users = of(1_000, 21);
    expect(users.found.low).toBeLessThan(4 * users.error.low - 0.002);
    const questions = of(800, 25);
    expect(questions.found.high).toBeGreaterThan(4 * questions.error.high + 0.0002);
    near(questions.found.high, exactEnds(questions.values, 4).high);
  });

  test("is the same in any unit, pays for repeats that differ, and needs ten users", () => {
    const of = (u: number, q: number) => (u * u + q * u) % 5;
    const found = scoreInterval({ ...errors(of, 12), repeats: { sd: 0.1, count: 3 } })!;
    const doubled = scoreInterval({ ...errors(of, 12, 2), repeats: { sd: 0.2, count: 3 } })!;
    near(doubled.low, 2 * found.low);
    near(doubled.high, 2 * found.high);
    const quiet = scoreInterval({ ...errors(of, 12), repeats: once })!;
    const noisy = scoreInterval({ ...errors(of, 12), repeats: { sd: 0.4, count: 3 } })!;
    expect(noisy.high - noisy.low).toBeGreaterThan(1.2 * (quiet.high - quiet.low));
    expect(scoreInterval({ ...errors(of, 9), repeats: once })).toBeUndefined();
  });
});
