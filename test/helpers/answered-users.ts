import { accuracy } from "../../src/metrics/index.js";
import type { ClusterSums } from "../../src/statistics/cluster-sums.js";
import { type Interval, scoreInterval } from "../../src/statistics/interval.js";
import type { Pair } from "../../src/types/index.js";

/** Answers are right or wrong. */
export const metric = accuracy(["yes", "no"]);

/** The answers of one user, the right ones first. */
export const hits = (right: number, of: number): Pair[] =>
  Array.from({ length: of }, (_, q) => ({ prediction: q < right ? "yes" : "no", gold: "yes" }));

/** One repeat. */
export const once = { sd: 0, count: 1 };

/** The interval of answers that were asked once. */
export const answered = (sums: ClusterSums, values: readonly number[]): Interval =>
  scoreInterval({ sums, range: 1, repeats: once, values: Float64Array.from(values), answers: true })!;
