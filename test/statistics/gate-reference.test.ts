import { describe, expect, test } from "vitest";
import { accuracy, macroF1, mae, rmse } from "../../src/metrics/index.js";
import { scoreAll } from "../../src/metrics/score-all.js";
import { claimBounds, claimPs, shownLossP } from "../../src/report/gate/claims.js";
import { pairedLoss } from "../../src/report/gate/paired-loss.js";
import { betaQuantile, incompleteBeta } from "../../src/statistics/beta.js";
import {
  jackknifeVariance,
  lossBeyond,
  lossP,
  lowerBound,
  type Parts,
  shockOf,
  shockReach,
} from "../../src/statistics/loss.js";
import { beforeRoot } from "../../src/statistics/mean-metric.js";
import { race, saddlepoint } from "../../src/statistics/race.js";
import { studentUpperTail } from "../../src/statistics/student.js";
import type { Metric } from "../../src/types/index.js";

// Values in rational or 30-digit arithmetic, from the design of these tests (docs/STATISTICS.md).
const near = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThan(1e-9);

/** Users with these sums of gains over so many questions each, of values with this range. */
function parts(sums: readonly number[], counts: readonly number[] | number, range: number): Parts {
  const each = sums.map((_, u) => (typeof counts === "number" ? counts : counts[u]!));
  const all = each.reduce((total, count) => total + count, 0);
  const shares = Float64Array.from(each, (count) => count / all);
  return { gains: Float64Array.from(sums, (sum) => sum / all), shares, most: shares.map((share) => range * share) };
}

/** One question a pair of values, by which user. */
const questionsOf = (rows: readonly (readonly [user: string, baseline: string, run: string, gold: string])[]) =>
  rows.map(([user, baseline, run, gold], q) => ({
    id: `q${q}`,
    user,
    baseline: [{ prediction: baseline, gold }],
    candidate: [{ prediction: run, gold }],
  }));

describe("the test over users", () => {
  test("without a change is the rule of three", () => {
    const still = parts(Array(30).fill(0), 10, 1);
    near(lossP(still, 0.02), 0.5454843193824);
    near(lossP(still, 0.02), 0.98 ** 30);
    near(lowerBound(still, 1, 0.05), -0.0950338528553);
    near(lowerBound(still, 1, 0.05), 0.05 ** (1 / 30) - 1);
  });

  test("with one right or wrong answer a user is Clopper and Pearson's", () =>
    near(lossP(parts([...Array(97).fill(0), -1, -1, -1], 1, 1), 0.08), 0.03670589923504));

  test("takes users of unequal sizes", () => {
    const users = parts([0, -1, 2, 0, -3, 1, 0, 0, 1, 0], [3, 2, 4, 1, 5, 2, 3, 3, 2, 1], 1);
    near(lossP(users, 0.25), 0.2775548152359);
    near(lossP(users, 0.5), 0.02515326013391);
    near(lowerBound(users, 1, 0.05), -0.4438437373505);
  });

  test("takes errors of ratings", () => {
    const users = parts([-2, 0, 1, 0, 0, -4, 3, 0, 0, 1, 0, 0], 3, 4);
    near(lossP(users, 0.5), 0.2458360995465);
    near(lowerBound(users, 4, 0.05), -0.9363597722404);
  });
});

describe("the tests on this set", () => {
  const yesNo = accuracy(["yes", "no"]);
  const answers = (better: number, worse: number, count: number, perUser: number) =>
    questionsOf(
      Array.from({ length: count }, (_, q) => {
        const [was, is] = q < better ? ["no", "yes"] : q < better + worse ? ["yes", "no"] : ["yes", "yes"];
        return [`u${Math.floor(q / perUser)}`, was!, is!, "yes"] as const;
      }),
    );

  test("over questions", () => {
    const loss = pairedLoss(yesNo, answers(2, 3, 80, 1), [])!;
    near(claimPs(loss, 0.1, 0.05).questions, 0.01192988026861);
    near(lowerBound(loss.questions.down, 1, 0.05), -0.0757255359117);
    near(lossP(pairedLoss(yesNo, answers(2, 12, 80, 1), [])!.questions.up, -0.02), 0.01991898410473);
  });

  test("over questions and users, the larger p of the two", () => {
    const gains = [-1, 0, 1, -2, 0, 1];
    const changes = [
      [0, 1],
      [1, 1],
      [1, 0],
      [0, 2],
      [0, 0],
      [1, 0],
    ] as const;
    const rows = changes.flatMap(([better, worse], u) =>
      Array.from({ length: 10 }, (_, q) => {
        const [was, is] = q < better ? ["no", "yes"] : q < better + worse ? ["yes", "no"] : ["yes", "yes"];
        return [`u${u}`, was, is, "yes"] as const;
      }),
    );
    const loss = pairedLoss(yesNo, questionsOf(rows), [])!;
    expect(gains.reduce((sum, gain) => sum + gain, 0) / 60).toBeCloseTo(loss.gain, 12);
    const variance = jackknifeVariance(0, loss.overUsers!.changes);
    near(variance, 0.0022777777778);
    near(studentUpperTail((loss.gain + 0.12) / Math.sqrt(variance), 5), 0.0413246410249);
    const p = claimPs(loss, 0.12, 0.05);
    near(p.questions, 0.0330326904809);
    // Beyond the margin .2 1.2 2.2 -.8 1.2 2.2 are gained: the cap is 3.56 / 1.8, and both 2.2 count as that.
    const [mean, squares] = [(1.8 + 2 * (3.56 / 1.8)) / 6, 3.56 + 2 * (3.56 / 1.8) ** 2];
    near(p.overUsers!, studentUpperTail(mean / Math.sqrt((squares / 6 - mean ** 2) / 5), 5));
    expect(p.overUsers).toBeLessThan(0.0413246410249);
    expect(p.set).toBe(Math.max(p.overUsers!, p.questions));
  });

  test("of RMSE are those of the mean of squares", () => {
    // 90 questions whose squared errors add up to 72.
    const rows = Array.from({ length: 90 }, (_, q) => [`u${q}`, q < 72 ? "2" : "3", "3", "3"] as const);
    const loss = pairedLoss(rmse, questionsOf(rows), [])!;
    near(loss.toJudged(0.1), 0.1888854382);
    near(loss.gain, 0.8);
    expect(loss.range).toBe(16);
    const ninth = questionsOf(Array.from({ length: 100 }, (_, q) => [`u${q}`, q < 81 ? "2" : "3", "3", "3"] as const));
    near(pairedLoss(rmse, ninth, [])!.toPrinted(-0.3), -0.1535653752853);
    expect(beforeRoot(rmse).value(Float64Array.of(9), 1)).toBe(9);
    expect(beforeRoot(mae)).toBe(mae);
  });

  test("of macro-F1 are those of its contributions", () => {
    const users = ["000 000 110", "111 222 010", "22x 000", "101 111 202 000"];
    const labels = ["0", "1", "2"];
    const rows = users.flatMap((questions, u) =>
      questions.split(" ").map((text) => {
        const [gold = "", base = "", run = "x"] = [...text];
        return [`u${u}`, base, run, gold] as const;
      }),
    );
    const metric: Metric = macroF1(labels);
    const loss = pairedLoss(metric, questionsOf(rows), [])!;
    const score = (side: "baseline" | "candidate") =>
      scoreAll(
        metric,
        questionsOf(rows).flatMap((question) => question[side]),
      );
    near(score("baseline"), 0.7590909090909);
    near(score("candidate"), 0.8554112554113);
    near(loss.gain, 0.8554112554113 - 0.7590909090909);
    const { gains, shares, most } = loss.users.down;
    expect(gains.reduce((sum, gain) => sum + gain, 0)).toBeCloseTo(loss.gain, 12);
    near(Math.max(...[...most].map((own, u) => own - 0.2 * shares[u]!)), 0.07572384325631);
    near(claimPs(loss, 0.2, 0.05).users, 0.2141999961909);
  });
});

test("noise that whole runs share moves the loss that is tested", () => {
  const shock = shockOf([0.5, 0.52, 0.54], [0.5, 0.51, 0.52])!;
  near(shock.degrees, 2.94117647059);
  const reach = shockReach(shock, 0.05);
  near(reach, 0.03063111935);
  near(lossBeyond(-0.01, 0.08, reach)!, 0.072942311106);
  expect(lossBeyond(-0.05, 0.08, reach)).toBeUndefined();
  expect(shockOf([0.5], [0.6])).toBeUndefined();
  expect(shockOf([0.5, 0.52, 0.54], [0.5])).toEqual({ sd: expect.closeTo(0.02 * Math.sqrt(4 / 3), 12), degrees: 2 });
});

test("the incomplete beta function gives t with any degrees", () => {
  near(incompleteBeta(0.3, 2.5, 4.2), 0.3741155180265);
  near(studentUpperTail(2, 2.5), 0.07869574787898);
  near(studentUpperTail(-2, 2.5), 1 - 0.07869574787898);
  for (const degrees of [1, 2, 7, 30])
    near(incompleteBeta(degrees / (degrees + 4), degrees / 2, 0.5) / 2, studentUpperTail(2, degrees));
  near(incompleteBeta(betaQuantile(0.025, 3.7, 120), 3.7, 120), 0.025);
});

test("the bounds are where the p's are alpha", () => {
  const metric = accuracy(["yes", "no"]);
  const rows = Array.from({ length: 60 }, (_, q) => [`u${q % 12}`, "yes", q < 5 ? "no" : "yes", "yes"] as const);
  const loss = pairedLoss(metric, questionsOf(rows), [])!;
  const { set, users } = claimBounds(loss, 0.05);
  expect(claimPs(loss, -set!.low, 0.05).set).toBeCloseTo(0.05, 9);
  expect(claimPs(loss, -users!.low, 0.05).users).toBeCloseTo(0.05, 9);
  expect(shownLossP(loss, -set!.high, 0.05)).toBeCloseTo(0.05, 9);
});

test("beyond the exact test's reach the saddlepoint is within 5 % of it", () => {
  const gains = Array.from({ length: 400 }, (_, i) => 0.01 + (i % 7) / 100);
  const losses = [...Array.from({ length: 60 }, (_, i) => 0.1 + (i % 5) / 20), 1];
  for (const scale of [1, 1.3, 0.8]) {
    const scaled = gains.map((gain) => gain * scale);
    const exact = race([...scaled, ...losses.map((loss) => -loss)], 0);
    expect(Math.abs(saddlepoint(scaled, losses) / exact - 1)).toBeLessThan(0.05);
  }
});
