import type { Metric } from "../../../src/types/index.js";

/** A mean of values from 0 to 1, as ROUGE is, that are handed in as they are. */
export const meanShare: Metric = {
  name: "rouge",
  title: "Share",
  better: "higher",
  source: "values as they are",
  width: 1,
  most: 1,
  add({ prediction }, sums, offset = 0) {
    sums[offset]! += Number(prediction);
  },
  value: (sums, count) => sums[0]! / count,
};
