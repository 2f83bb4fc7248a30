import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { macroF1 } from "../../src/metrics/macro.js";
import { rmse } from "../../src/metrics/rmse.js";
import { mcNemar } from "../../src/report/papers/implied.js";
import { holm, thetaOf } from "../../src/results/inference.js";
import { studentQuantile, studentUpperTail } from "../../src/results/student.js";

/** Values of scipy 1.10.1, statsmodels 0.13.5 and scikit-learn 1.2.1. */
interface Reference {
  readonly mcNemar: readonly (readonly [number, number, number])[];
  readonly holm: readonly (readonly [number[], number[]])[];
  readonly studentTail: readonly (readonly [number, number, number])[];
  readonly studentQuantile: readonly (readonly [number, number, number])[];
  readonly draws: {
    readonly labels: readonly string[];
    /** Gold and answer. */
    readonly users: readonly (readonly (readonly [string, string])[])[];
    readonly ratings: readonly (readonly (readonly [number, number])[])[];
    readonly all: Readonly<Record<"f1" | "rmse", number>>;
    readonly withoutOne: Readonly<Record<"f1" | "rmse", readonly number[]>>;
  };
}

const file = new URL("../fixtures/reference/statistics.json", import.meta.url);
const reference = JSON.parse(readFileSync(file, "utf8")) as Reference;

/** Absolute for what is of the order of 1, relative for the small. */
function expectEqual(ours: number, theirs: number): void {
  expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(1e-9 * Math.min(1, Math.abs(theirs)) + 1e-12);
}

test.each(reference.mcNemar)("McNemar of %i and %i is statsmodels'", (a, b, p) => {
  expectEqual(mcNemar(a, b), p);
  expect(mcNemar(b, a)).toBe(mcNemar(a, b));
});

test.each(reference.holm)("Holm of %j is statsmodels'", (ps, corrected) => {
  for (const [i, p] of holm(ps).entries()) expectEqual(p, corrected[i]!);
});

test.each(reference.studentTail)("Student's tail above %f with %i degrees is scipy's", (t, degrees, p) =>
  expectEqual(studentUpperTail(t, degrees), p),
);

test.each(reference.studentQuantile)("Student's quantile at %f with %i degrees is scipy's", (share, degrees, t) =>
  expectEqual(studentQuantile(share, degrees), t),
);

describe.each([
  { name: "f1" as const, metric: macroF1(reference.draws.labels), data: reference.draws.users },
  { name: "rmse" as const, metric: rmse, data: reference.draws.ratings },
])("$name", ({ name, metric, data }) => {
  test("is scikit-learn's over all users, and without each one", () => {
    const theta = thetaOf(
      metric,
      data.map((user) => ({
        questions: user.length,
        repeats: [user.map(([gold, answer]) => ({ gold: String(gold), prediction: String(answer) }))],
      })),
    );
    const { all, withoutOne } = reference.draws;
    expectEqual(theta.value, all[name]);
    for (const [i, value] of theta.without.entries()) expectEqual(value, withoutOne[name][i]!);
  });
});
