import type { Metric } from "../types.js";
import { ratingError } from "./rating.js";

/** Mean absolute error of ratings. */
export const mae: Metric = {
  name: "mae",
  title: "MAE",
  better: "lower",
  source: "LaMP eval/evaluation.py @38c9d4d",
  width: 1,
  add(pair, sums, offset = 0) {
    sums[offset]! += ratingError(pair);
  },
  value: (sums, count) => sums[0]! / count,
};
