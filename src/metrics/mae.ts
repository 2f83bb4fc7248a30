import type { Metric } from "../types/index.js";
import { ratingError } from "./rating.js";

/** Mean absolute error of ratings. `most` is that of answers on the scale of 1 to 5. */
export const mae: Metric = {
  name: "mae",
  title: "MAE",
  better: "lower",
  source: "LaMP eval/evaluation.py @38c9d4d",
  width: 1,
  most: 4,
  add(pair, sums, offset = 0) {
    sums[offset]! += ratingError(pair);
  },
  value: (sums, count) => sums[0]! / count,
};
