import type { Metric } from "../types/index.js";
import { ratingError } from "./rating.js";

/** Root mean squared error of ratings. `most` is the error of answers on the scale of 1 to 5. */
export const rmse: Metric = {
  name: "rmse",
  title: "RMSE",
  better: "lower",
  source: "LaMP eval/evaluation.py @38c9d4d",
  width: 1,
  most: 4,
  add(pair, sums, offset = 0) {
    sums[offset]! += ratingError(pair) ** 2;
  },
  value: (sums, count) => Math.sqrt(sums[0]! / count),
};
