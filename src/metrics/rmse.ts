import type { Metric } from "../types/index.js";
import { LAMP_SCALE, ratingError, type Scale } from "./rating.js";

/** Root mean squared error of ratings; `maxPerPair` is the largest error of answers on the scale. */
export const rmseOn = (scale: Scale): Metric => ({
  name: "rmse",
  title: "RMSE",
  better: "lower",
  source: "LaMP eval/evaluation.py @38c9d4d",
  sumCount: 1,
  maxPerPair: scale.to - scale.from,
  add(pair, sums, offset = 0) {
    sums[offset]! += ratingError(pair, scale) ** 2;
  },
  value: (sums, count) => Math.sqrt(sums[0]! / count),
});

/** On the scale of LaMP-3. */
export const rmse = rmseOn(LAMP_SCALE);
