import type { Metric } from "../types/index.js";

/** Whether an answer is the gold, letter by letter but for case and outer blanks. */
export const match: Metric = {
  name: "match",
  title: "Exact match",
  better: "higher",
  source: "own: equal texts, case and outer blanks apart",
  sumCount: 1,
  maxPerPair: 1,
  add({ prediction, gold }, sums, offset = 0) {
    if (prediction.trim().toLowerCase() === gold.trim().toLowerCase()) sums[offset]! += 1;
  },
  value: (sums, count) => sums[0]! / count,
};
