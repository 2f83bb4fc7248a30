/**
 * The one method of inference: delete-one-user jackknife with Student's t, and Holm over a declared family.
 * Sources: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 11; Kish, Survey Sampling, 1965 (effective number);
 * Holm, Scand. J. Statistics 6(2), 1979. docs/STATISTICS.md states how it behaves.
 */

import { labelIndex } from "../metrics/official-labels.js";
import { takes } from "../metrics/score-all.js";
import type { Metric, Pair } from "../types/index.js";
import { studentQuantile, studentUpperTail } from "./student.js";

/** One user (or cluster) in one arm: its number of questions, and its pairs of each repeat. */
export interface UserPairs {
  readonly questions: number;
  readonly repeats: readonly (readonly Pair[])[];
}

/** A quantity computed from all users' answers: a score, a difference of scores, a slope, a rate. */
export interface Theta {
  readonly value: number;
  /** The same without each user. */
  readonly without: Float64Array;
  /** Questions of each user. */
  readonly questions: readonly number[];
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Fewer users, or fewer effective ones, have neither interval nor p. */
export const MIN_USERS = 10;
export const MIN_EFFECTIVE = 5;

/** Values up to this come from the order of additions. */
export const ROUNDING = 1e-12;

/** Returns a metric's mean over repeats. Each user's contributions are added up once. */
export function thetaOf(metric: Metric, users: readonly UserPairs[]): Theta {
  const repeats = users.reduce((most, user) => Math.max(most, user.repeats.length), 0);
  const step = metric.sumCount + 1;
  const size = repeats * step;
  const all = new Float64Array(size);
  const sums = new Float64Array(users.length * size);
  for (const [u, user] of users.entries()) {
    for (const [r, pairs] of user.repeats.entries()) {
      const at = u * size + r * step;
      const taken = pairs.filter((pair) => takes(metric, pair));
      for (const pair of taken) metric.add(pair, sums, at);
      sums[at + metric.sumCount]! += taken.length;
    }
    for (let at = 0; at < size; at++) all[at]! += sums[u * size + at]!;
  }
  const rest = new Float64Array(size);
  return {
    value: meanOverRepeats(metric, all),
    without: Float64Array.from(users, (_, u) => {
      for (let at = 0; at < size; at++) rest[at] = all[at]! - sums[u * size + at]!;
      return meanOverRepeats(metric, rest);
    }),
    questions: users.map(({ questions }) => questions),
  };
}

/** A repeat's sums stand before its number of pairs. A repeat without pairs is in no mean. */
function meanOverRepeats({ sumCount: width, value }: Metric, sums: Float64Array): number {
  let [total, known] = [0, 0];
  for (let at = 0; at < sums.length; at += width + 1) {
    const count = sums[at + width]!;
    if (count === 0) continue;
    total += value(sums.subarray(at, at + width), count);
    known += 1;
  }
  return total / known;
}

/** Returns the weighted sum of quantities over the same users: a difference has the weights 1 and -1. */
export function combined(parts: readonly (readonly [weight: number, theta: Theta])[]): Theta {
  const sum = (of: (theta: Theta) => number): number =>
    parts.reduce((total, [weight, theta]) => total + weight * of(theta), 0);
  const questions = parts[0]?.[1].questions ?? [];
  return {
    value: sum(({ value }) => value),
    without: Float64Array.from(questions, (_, user) => sum(({ without }) => without[user]!)),
    questions,
  };
}

/** The standard error, and the effective number of users (sum of m)^2 / sum of m^2, m the questions of a user. */
export interface Spread {
  readonly se: number;
  readonly effective: number;
}

export function jackknife({ without, questions }: Theta): Spread {
  const users = without.length;
  const mean = without.reduce((sum, value) => sum + value, 0) / users;
  const squares = without.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { se: Math.sqrt(((users - 1) / users) * squares), effective: effectiveNumber(questions) };
}

/** Returns the effective number of users by the questions of each. */
export const effectiveNumber = (questions: readonly number[]): number =>
  questions.reduce((sum, m) => sum + m, 0) ** 2 / questions.reduce((sum, m) => sum + m ** 2, 0);

export const effectiveOf = (users: readonly Pick<UserPairs, "questions">[]): number =>
  effectiveNumber(users.map(({ questions }) => questions));

/** Of a difference or a slope: two-sided at 95 %, so that the interval leaves out 0 exactly where p is below .05. */
export interface Inference {
  /** Undefined without spread: it would be a point. */
  readonly interval: Interval | undefined;
  readonly p: number;
  /** Minimum detectable difference at 80 % power. */
  readonly detectable: number;
}

/** Undefined below 10 users or 5 effective users. */
export function inferenceOf(theta: Theta): Inference | undefined {
  const spread = usable(theta);
  if (spread === undefined) return undefined;
  const { value } = theta;
  const { se, effective } = spread;
  const reach = studentQuantile(0.975, effective - 1);
  return {
    interval: se <= ROUNDING ? undefined : { low: value - reach * se, high: value + reach * se },
    p: pOf(value, spread),
    detectable: (reach + studentQuantile(0.8, effective - 1)) * se,
  };
}

/** Returns the two-sided p of a difference; without spread 1 where it is 0, else 0 (printed `<.001`). */
export function pOf(value: number, { se, effective }: Spread): number {
  if (se <= ROUNDING) return Math.abs(value) <= ROUNDING ? 1 : 0;
  return Math.min(1, 2 * studentUpperTail(Math.abs(value) / se, effective - 1));
}

/** Both ends of a score's range, or `log` for what has no upper end: errors, tokens. */
export type ScoreScale = readonly [from: number, to: number] | "log";

/** Undefined where the range of a metric is not known. */
export function scaleOf({ better, minPerPair: least = 0, maxPerPair: most, labels }: Metric): ScoreScale | undefined {
  if (better === "lower") return "log";
  if (labels !== undefined) return [0, 1];
  return most === undefined ? undefined : [least, most];
}

/** Returns the 95 % interval of a score on the logit or log scale. Undefined as `inferenceOf`, and without spread. */
export function scoreInterval(theta: Theta, scale: ScoreScale): Interval | undefined {
  const spread = usable(theta);
  if (spread === undefined || spread.se <= ROUNDING) return undefined;
  const reach = studentQuantile(0.975, spread.effective - 1) * spread.se;
  if (scale === "log") {
    const factor = Math.exp(reach / theta.value);
    return { low: theta.value / factor, high: theta.value * factor };
  }
  const [from, to] = scale;
  const share = (theta.value - from) / (to - from);
  if (!(share > 0 && share < 1)) return undefined;
  const half = reach / (to - from) / (share * (1 - share));
  const back = (logit: number): number => from + (to - from) / (1 + Math.exp(-logit));
  const logit = Math.log(share / (1 - share));
  return { low: back(logit - half), high: back(logit + half) };
}

/** Returns true where every listed label has a gold answer: else a mean over labels has neither interval nor p. */
export function hasEveryLabel({ labels }: Metric, users: readonly UserPairs[]): boolean {
  if (labels === undefined) return true;
  const seen = new Set(
    users.flatMap(({ repeats }) => repeats.flatMap((pairs) => pairs.map(({ gold }) => labelIndex(labels, gold)))),
  );
  return labels.every((_, label) => seen.has(label));
}

function usable(theta: Theta): Spread | undefined {
  if (theta.without.length < MIN_USERS) return undefined;
  const spread = jackknife(theta);
  return spread.effective >= MIN_EFFECTIVE && Number.isFinite(spread.se) ? spread : undefined;
}

/** Returns each p after Holm's step-down correction over the family, in the given order. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, i) => i).sort((a, b) => ps[a]! - ps[b]!);
  const corrected = ps.slice();
  let least = 0;
  for (const [step, i] of order.entries()) {
    least = Math.max(least, Math.min(1, ps[i]! * (ps.length - step)));
    corrected[i] = least;
  }
  return corrected;
}

/** Level of every mark. */
const ALPHA = 0.05;

export const isSignificant = (p: number | undefined): boolean => (p ?? 1) <= ALPHA;
