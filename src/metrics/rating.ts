import { ScoreError } from "../errors.js";
import { parsePythonFloat } from "../text/python.js";
import type { Pair } from "../types/index.js";

/** Both ends of the ratings of a task. */
export interface Scale {
  readonly from: number;
  readonly to: number;
}

/** The scale of LaMP-3. */
export const LAMP_SCALE: Scale = { from: 1, to: 5 };

/**
 * The official reading of a rating: Python `float()`, not clamped; an answer that is no number becomes the end of the scale
 * that is worse for its gold (of LaMP-3: 1 where gold is nearer to 5, else 5). Throws ScoreError where the gold is needed and is
 * no number.
 */
export function mapRating(prediction: string, gold: string, { from, to }: Scale = LAMP_SCALE): number {
  const rating = parsePythonFloat(prediction);
  if (rating !== undefined) return rating;
  const truth = goldRating(gold);
  return Math.abs(from - truth) > Math.abs(to - truth) ? from : to;
}

/** Returns |prediction - gold| on float32 values, as the official scorer sees them. Throws ScoreError where it crashes. */
export function ratingError({ prediction, gold }: Pair, scale: Scale = LAMP_SCALE): number {
  // The `datasets` features of the official metric hold float32: 3.3 is 3.299999952316284 and 1e39 is infinite.
  const predicted = Math.fround(mapRating(prediction, gold, scale));
  if (!Number.isFinite(predicted))
    throw new ScoreError(`rating ${JSON.stringify(prediction)} is not a finite number: the official scorer stops here`);
  const truth = Math.fround(goldRating(gold));
  if (!Number.isFinite(truth)) throw new ScoreError(`gold ${JSON.stringify(gold)} is not a finite number`);
  return Math.abs(predicted - truth);
}

function goldRating(gold: string): number {
  const rating = parsePythonFloat(gold);
  if (rating === undefined) throw new ScoreError(`gold ${JSON.stringify(gold)} is not a number`);
  return rating;
}
