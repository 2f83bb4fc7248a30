import { meanOf } from "./quantile.js";
import { race } from "./race.js";
import { logit, rootOf } from "./root.js";
import { studentQuantile } from "./student.js";

/**
 * The users, or the questions, of a paired comparison, as parts of the whole: `gains` add up to the gain, counted upwards, and
 * `shares` to 1. `most`: how much the gain could fall at most, were one more like this one drawn, beyond its own gain of 0.
 */
export interface Parts {
  readonly gains: Float64Array;
  readonly shares: Float64Array;
  readonly most: Float64Array;
}

/**
 * p of "the true gain is -loss or less": Gaffke's test over the parts, exact and without a seed, with one unseen part added
 * that loses all that any part can. Falls in `loss`.
 */
export function lossP({ gains, shares, most }: Parts, loss: number): number {
  let worst = 0;
  for (let u = 0; u < gains.length; u++) worst = Math.max(worst, most[u]! - loss * shares[u]!);
  return race(
    gains.map((gain, u) => gain + loss * shares[u]!),
    worst,
  );
}

/** The gain above which the true one lies at risk alpha: where `lossP` is alpha. `range`: the largest loss there can be. */
export function lowerBound(parts: Parts, range: number, alpha: number): number {
  return -rootOf((loss) => logit(lossP(parts, loss)) - logit(alpha), -range, range);
}

/** The jackknife's variance over users: (U - 1)/U times the squares of what each user's absence changes. */
export function jackknifeVariance(value: number, withoutOne: ArrayLike<number>): number {
  let squares = 0;
  for (let u = 0; u < withoutOne.length; u++) squares += (withoutOne[u]! - value) ** 2;
  return (squares * (withoutOne.length - 1)) / withoutOne.length;
}

/** The value above which the true one lies at risk alpha by Student's t. */
export const studentLower = (value: number, variance: number, degrees: number, alpha: number): number =>
  variance <= 0 ? value : value - studentQuantile(1 - alpha, degrees) * Math.sqrt(variance);

/** Noise that all answers of a run share, as far as repeats show it. */
export interface Shock {
  /** Standard deviation of the difference of the two sides' means. */
  readonly sd: number;
  readonly degrees: number;
}

/**
 * The shared noise of two sides, from the scores of their repeats (Satterthwaite's degrees). A side of one repeat is taken to
 * be as noisy as the other; undefined where both have one: then nothing is known of it.
 */
export function shockOf(base: readonly number[], run: readonly number[]): Shock | undefined {
  const [ofBase, ofRun] = [varianceOf(base), varianceOf(run)];
  const known = ofBase ?? ofRun;
  if (known === undefined) return undefined;
  const parts = [
    { part: (ofBase ?? known) / base.length, degrees: ofBase === undefined ? 0 : base.length - 1 },
    { part: (ofRun ?? known) / run.length, degrees: ofRun === undefined ? 0 : run.length - 1 },
  ];
  const square = parts.reduce((sum, { part }) => sum + part, 0);
  const measured = parts.filter(({ degrees }) => degrees > 0);
  if (square <= ROUNDING ** 2) return { sd: 0, degrees: measured.reduce((sum, { degrees }) => sum + degrees, 0) };
  const degrees =
    measured.length < 2
      ? measured[0]!.degrees
      : square ** 2 / measured.reduce((sum, { part, degrees: d }) => sum + part ** 2 / d, 0);
  return { sd: Math.sqrt(square), degrees };
}

/** How far the shared noise may have moved the gain at risk alpha. 0 where nothing is known of it. */
export const shockReach = (shock: Shock | undefined, alpha: number): number =>
  shock === undefined || shock.sd === 0 ? 0 : studentQuantile(1 - alpha, shock.degrees) * shock.sd;

/**
 * The loss to test instead of `loss`, so that a test that knows nothing of the shared noise pays for it (limits combined as by
 * Zou and Donner, Statistics in Medicine 27, 2008). Undefined where that noise alone could be the whole distance.
 */
export function lossBeyond(gain: number, loss: number, reach: number): number | undefined {
  const above = gain + loss;
  if (reach === 0) return loss;
  return above <= reach ? undefined : Math.sqrt(above ** 2 - reach ** 2) - gain;
}

/** A bound that knows nothing of the shared noise, moved away from the gain by it. */
export const boundBeyond = (gain: number, bound: number, reach: number): number =>
  reach === 0 ? bound : gain + Math.sign(bound - gain) * Math.sqrt((gain - bound) ** 2 + reach ** 2);

const ROUNDING = 1e-12;

function varianceOf(values: readonly number[]): number | undefined {
  if (values.length < 2) return undefined;
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
