import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { macroF1, rmse } from "../../src/metrics/index.js";
import { clusterSums, valueOfAll, valueOfWeighted, valuesWithoutOne } from "../../src/statistics/cluster-sums.js";
import { holm } from "../../src/statistics/holm.js";
import { mcNemar } from "../../src/statistics/mcnemar.js";
import { normalQuantile, normalUpperTail } from "../../src/statistics/normal.js";
import { race } from "../../src/statistics/race.js";
import { studentQuantile, studentUpperTail } from "../../src/statistics/student.js";

/** Values of scipy 1.10.1, statsmodels 0.13.5 and scikit-learn 1.2.1. */
interface Reference {
  readonly upperTail: readonly (readonly [number, number])[];
  readonly quantile: readonly (readonly [number, number])[];
  readonly mcNemar: readonly (readonly [number, number, number])[];
  readonly holm: readonly (readonly [number[], number[]])[];
  readonly studentTail: readonly (readonly [number, number, number])[];
  readonly studentQuantile: readonly (readonly [number, number, number])[];
  readonly binomial: readonly (readonly [number, number, number, number])[];
  readonly draws: {
    readonly labels: readonly string[];
    /** Gold and answer. */
    readonly users: readonly (readonly (readonly [string, string])[])[];
    readonly ratings: readonly (readonly (readonly [number, number])[])[];
    readonly chosen: readonly (readonly number[])[];
    readonly scores: Readonly<Record<"f1" | "rmse", readonly number[]>>;
    readonly all: Readonly<Record<"f1" | "rmse", number>>;
    readonly withoutOne: Readonly<Record<"f1" | "rmse", readonly number[]>>;
  };
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

test.each(reference.holm)("Holm of %j is statsmodels'", (ps, corrected) => {
  for (const [i, p] of holm(ps).entries()) expectEqual(p, corrected[i]!);
});

test.each(reference.studentTail)("Student's tail above %f with %i degrees is scipy's", (t, degrees, p) =>
  expect(Math.abs(studentUpperTail(t, degrees) - p)).toBeLessThan(1e-12),
);

test.each(reference.studentQuantile)("Student's quantile at %f with %i degrees is scipy's", (share, degrees, t) =>
  expectEqual(studentQuantile(share, degrees), t),
);

/** Of right and wrong answers, one a user, the test over users is the binomial one. */
const atMost = (hits: number, count: number, chance: number): number =>
  hits >= count
    ? 1
    : race(
        Array.from({ length: count }, (_, i) => chance - (i < hits ? 1 : 0)),
        1 - chance,
      );

test.each(reference.binomial)("at most %i of %i at %f is scipy's", (hits, count, chance, p) =>
  expectEqual(atMost(hits, count, chance), p),
);

describe.each([
  { name: "f1" as const, metric: macroF1(reference.draws.labels), data: reference.draws.users },
  { name: "rmse" as const, metric: rmse, data: reference.draws.ratings },
])("on fixed draws of whole users, $name", ({ name, metric, data }) => {
  const { chosen, scores, all, withoutOne } = reference.draws;
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
});
