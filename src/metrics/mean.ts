import type { Metric, Pair } from "../types/index.js";

/** Makes a metric of a value of each pair, from 0 to 1: their mean. */
export const meanMetric = (
  identity: Pick<Metric, "name" | "title" | "source">,
  score: (pair: Pair) => number | boolean,
): Metric => ({
  ...identity,
  better: "higher",
  sumCount: 1,
  maxPerPair: 1,
  add(pair, sums, offset = 0) {
    sums[offset]! += Number(score(pair));
  },
  value: (sums, count) => sums[0]! / count,
});
