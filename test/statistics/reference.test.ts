import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { accuracy } from "../../src/metrics/index.js";
import { cohenH } from "../../src/statistics/cohen-h.js";
import { holm } from "../../src/statistics/holm.js";
import { mcNemar } from "../../src/statistics/mcnemar.js";
import { normalQuantile, normalUpperTail } from "../../src/statistics/normal.js";
import { pairedDifference } from "../../src/statistics/paired-bootstrap.js";
import { detectableShares, neededForShares } from "../../src/statistics/power.js";
import { signedRank } from "../../src/statistics/wilcoxon.js";
import { wilson } from "../../src/statistics/wilson.js";

/** Made by scripts/reference/statistics.py with scipy and statsmodels. */
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

test("with one question per user the paired bootstrap is scipy's plain one, within Monte-Carlo error", () => {
  const { a, b, low, high } = reference.bootstrap;
  const metric = accuracy(["yes", "no"]);
  const pair = (hit: number) => ({ prediction: hit === 1 ? "yes" : "no", gold: "yes" });
  const clusters = a.map((hit, i) => ({ a: [pair(hit)], b: [pair(b[i]!)] }));
  const { interval } = pairedDifference({ metric, clusters, seed: 1 })!;
  const tolerance = 0.05 * (high - low);
  expect(Math.abs(interval.low - low)).toBeLessThan(tolerance);
  expect(Math.abs(interval.high - high)).toBeLessThan(tolerance);
});
