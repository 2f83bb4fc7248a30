import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { accuracy, macroF1, mae, rmse } from "../../src/metrics/index.js";
import { bound, quantile, resampled } from "../../src/statistics/bca.js";
import { clusterSums, valueOfAll, valueOfWeighted, valuesWithoutOne } from "../../src/statistics/cluster-sums.js";
import { cohenH } from "../../src/statistics/cohen-h.js";
import { binomialAtMost } from "../../src/statistics/exact-loss.js";
import { holm } from "../../src/statistics/holm.js";
import { mcNemar } from "../../src/statistics/mcnemar.js";
import { normalQuantile, normalUpperTail } from "../../src/statistics/normal.js";
import { type PairedCluster, resampledDifferences } from "../../src/statistics/paired-bootstrap.js";
import { detectableShares, neededForShares } from "../../src/statistics/power.js";
import { resample } from "../../src/statistics/resample.js";
import { signTestBelow } from "../../src/statistics/sign-test.js";
import { studentQuantile, studentUpperTail } from "../../src/statistics/student.js";
import { signedRank } from "../../src/statistics/wilcoxon.js";
import { wilson } from "../../src/statistics/wilson.js";

/** Made by scripts/reference/statistics.py with scipy, statsmodels and scikit-learn. */
interface Reference {
  readonly upperTail: readonly (readonly [number, number])[];
  readonly quantile: readonly (readonly [number, number])[];
  readonly mcNemar: readonly (readonly [number, number, number])[];
  readonly wilcoxon: readonly { differences: number[]; method: "exact" | "approx"; p: number }[];
  readonly holm: readonly (readonly [number[], number[]])[];
  readonly wilson: readonly (readonly [number, number, number, number, number])[];
  readonly cohenH: readonly (readonly [number, number, number])[];
  readonly needed: readonly (readonly [number, number, number, number, number])[];
  readonly detectable: readonly (readonly [number, number, number, number, number])[];
  readonly studentTail: readonly (readonly [number, number, number])[];
  readonly studentQuantile: readonly (readonly [number, number, number])[];
  readonly signTest: readonly (readonly [number, number, number])[];
  readonly binomial: readonly (readonly [number, number, number, number])[];
  readonly upperShare: readonly (readonly [number, number, number, number])[];
  readonly draws: {
    readonly labels: readonly string[];
    /** Gold and answer. */
    readonly users: readonly (readonly (readonly [string, string])[])[];
    readonly ratings: readonly (readonly (readonly [number, number])[])[];
    readonly chosen: readonly (readonly number[])[];
    readonly scores: Readonly<Record<"f1" | "rmse", readonly number[]>>;
    readonly all: Readonly<Record<"f1" | "rmse", number>>;
    readonly withoutOne: Readonly<Record<"f1" | "rmse", readonly number[]>>;
    readonly bca: Readonly<Record<"f1" | "rmse", { bias: number; acceleration: number; ends: [number, number] }>>;
  };
  readonly bca: { values: number[]; mae: readonly [number, number]; rmse: readonly [number, number] };
  readonly bootstrap: { a: number[]; b: number[]; low: number; high: number };
}

const file = new URL("../fixtures/reference/statistics.json", import.meta.url);
const reference = JSON.parse(readFileSync(file, "utf8")) as Reference;

/** Absolute for what is of the order of 1, relative for the small. */
function expectEqual(ours: number, theirs: number): void {
  expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(1e-9 * Math.min(1, Math.abs(theirs)) + 1e-15);
}

test.each(reference.upperTail)("the normal tail above %f is scipy's", (z, p) => expectEqual(normalUpperTail(z), p));

test.each(reference.quantile)("the normal quantile at %f is scipy's", (p, z) => expectEqual(normalQuantile(p), z));

test.each(reference.mcNemar)("McNemar of %i and %i is statsmodels'", (a, b, p) => {
  expectEqual(mcNemar(a, b), p);
  expect(mcNemar(b, a)).toBe(mcNemar(a, b));
});

test.each(reference.wilcoxon)("signed ranks ($method) are scipy's: p $p", ({ differences, method, p }) => {
  const ours = signedRank(differences);
  expect(ours.method).toBe(method === "exact" ? "exact" : "normal");
  expectEqual(ours.p, p);
});

test.each(reference.holm)("Holm of %j is statsmodels'", (ps, corrected) => {
  for (const [i, p] of holm(ps).entries()) expectEqual(p, corrected[i]!);
});

test.each(reference.wilson)("Wilson of %i in %i at %f is statsmodels'", (hits, count, level, low, high) => {
  const ours = wilson(hits, count, level);
  expectEqual(ours.low, low);
  expectEqual(ours.high, high);
});

test.each(reference.cohenH)("Cohen's h from %f to %f is statsmodels'", (a, b, h) => expectEqual(cohenH(a, b), h));

test.each(reference.needed)(
  "a difference of %f at %f discordant (alpha %f, power %f) needs as many as scipy's quantiles say",
  (difference, discordant, alpha, power, count) =>
    expect(neededForShares(difference, discordant, { alpha, power })).toBe(Math.ceil(count)),
);

test.each(reference.detectable)(
  "%i questions at %f discordant (alpha %f, power %f) find what scipy's root says",
  (count, discordant, alpha, power, difference) =>
    expectEqual(detectableShares(count, discordant, { alpha, power })!, difference),
);

test.each(reference.studentTail)("Student's tail above %f with %i degrees is scipy's", (t, degrees, p) =>
  expect(Math.abs(studentUpperTail(t, degrees) - p)).toBeLessThan(1e-12),
);

test.each(reference.studentQuantile)("Student's quantile at %f with %i degrees is scipy's", (share, degrees, t) =>
  expectEqual(studentQuantile(share, degrees), t),
);

test.each(reference.signTest)("the sign test of %i better and %i worse is scipy's", (better, worse, p) =>
  expectEqual(signTestBelow(better, worse), p),
);

/** The confidence at which our widened bound is the plain one at 97.5 %. */
const unwidened = (clusters: number): number =>
  1 - studentUpperTail(normalQuantile(0.975) / Math.sqrt(clusters / (clusters - 1)), clusters - 1);

function expectNear(ours: readonly [number, number], theirs: readonly [number, number]): void {
  const tolerance = 0.05 * (theirs[1] - theirs[0]);
  for (const end of [0, 1] as const) expect(Math.abs(ours[end] - theirs[end])).toBeLessThan(tolerance);
}

test("with one question per user the resamples of a difference are scipy's, within Monte-Carlo error", () => {
  const { a, b, low, high } = reference.bootstrap;
  const metric = accuracy(["yes", "no"]);
  const pair = (hit: number) => ({ prediction: hit === 1 ? "yes" : "no", gold: "yes" });
  const clusters: PairedCluster[] = a.map((hit, i) => ({ a: [pair(hit)], b: [pair(b[i]!)] }));
  const side = (arm: "a" | "b") =>
    clusterSums(
      metric,
      clusters.map((cluster) => cluster[arm]),
    );
  const { sorted } = resampledDifferences([{ a: side("a"), b: side("b") }], 10_000, 1)[0]!;
  expectNear([quantile(sorted, 0.025), quantile(sorted, 0.975)], [low, high]);
});

test.each([
  { metric: mae, theirs: reference.bca.mae },
  { metric: rmse, theirs: reference.bca.rmse },
])(
  "without the widening our interval of $metric.name is scipy's BCa, within Monte-Carlo error",
  ({ metric, theirs }) => {
    const clusters = reference.bca.values.map((error) => [{ prediction: String(error), gold: "0" }]);
    const sums = clusterSums(metric, clusters);
    const [values] = resample([sums], 20_000, 1);
    const found = resampled(valueOfAll(sums), values!, valuesWithoutOne(sums));
    const confidence = unwidened(clusters.length);
    expectNear([bound(found, 1 - confidence), bound(found, confidence)], theirs);
    const [plainLow, plainHigh] = [quantile(found.sorted, 0.025), quantile(found.sorted, 0.975)];
    expect(bound(found, 1 - confidence)).toBeGreaterThan(plainLow); // lopsided to the right: the correction moves both up
    expect(bound(found, confidence)).toBeGreaterThan(plainHigh);
  },
);

test.each(reference.binomial)("at most %i of %i at %f is scipy's", (hits, count, chance, p) =>
  expectEqual(binomialAtMost(hits, count, chance), p),
);

test.each(reference.upperShare)(
  "Clopper and Pearson's bound of %i in %i at %f is statsmodels'",
  (hits, count, alpha, share) => expectEqual(binomialAtMost(hits, count, share), alpha),
);

describe.each([
  { name: "f1" as const, metric: macroF1(reference.draws.labels), data: reference.draws.users },
  { name: "rmse" as const, metric: rmse, data: reference.draws.ratings },
])("on fixed draws of whole users, $name", ({ name, metric, data }) => {
  const { chosen, scores, all, withoutOne, bca } = reference.draws;
  const clusters = data.map((user) =>
    user.map(([gold, answer]) => ({ gold: String(gold), prediction: String(answer) })),
  );
  const drawn = () => {
    const sums = clusterSums(metric, clusters);
    const values = Float64Array.from(chosen, (places) => {
      const weights = new Int32Array(clusters.length);
      for (const place of places) weights[place]! += 1;
      return valueOfWeighted(sums, weights, new Float64Array(metric.width));
    });
    return { sums, values };
  };

  test("is scikit-learn's on every draw, over all users, and without each one", () => {
    const { sums, values } = drawn();
    for (const [i, score] of scores[name].entries()) expectEqual(values[i]!, score);
    expectEqual(valueOfAll(sums), all[name]);
    for (const [i, value] of valuesWithoutOne(sums).entries()) expectEqual(value, withoutOne[name][i]!);
  });

  test("has the BCa interval that numpy and scipy make of scikit-learn's scores", () => {
    const { sums, values } = drawn();
    const found = resampled(valueOfAll(sums), values, valuesWithoutOne(sums));
    expectEqual(found.bias, bca[name].bias);
    expectEqual(found.acceleration, bca[name].acceleration);
    const confidence = unwidened(clusters.length);
    expectEqual(bound(found, 1 - confidence), bca[name].ends[0]);
    expectEqual(bound(found, confidence), bca[name].ends[1]);
  });
});
