import type { Metric, Pair } from "../../types.js";

/**
 * The mean of verdicts, as a metric: so that intervals and tests are those of all tables. Wider than it need be: a mean that is one
 * sum counts as a share of 1 there, and verdicts go beyond that.
 */
export const meanVerdict: Metric = {
  name: "verdict",
  title: "Mean verdict",
  better: "higher",
  source: "mean of a judge's numbers",
  width: 2,
  add({ prediction }, sums, offset = 0) {
    sums[offset]! += Number(prediction);
  },
  value: (sums, count) => sums[0]! / count,
};

/** A verdict as that metric takes it. */
export const verdictPair = (value: number): Pair => ({ prediction: String(value), gold: "" });
