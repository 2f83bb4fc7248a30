import type { Metric } from "../types/index.js";
import { LAMP_SCALE, ratingError, type Scale } from "./rating.js";

/** Mean absolute error of ratings; `maxPerPair`: the largest error of an answer on the scale. */
export const maeOn = (scale: Scale): Metric => ({
  name: "mae",
  title: "MAE",
  better: "lower",
  source: "LaMP eval/evaluation.py @38c9d4d",
  sumCount: 1,
  maxPerPair: scale.to - scale.from,
  add(pair, sums, offset = 0) {
    sums[offset]! += ratingError(pair, scale);
  },
  value: (sums, count) => sums[0]! / count,
});

/** On the scale of LaMP-3. */
export const mae = maeOn(LAMP_SCALE);
