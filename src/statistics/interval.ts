import { betaQuantile } from "./beta.js";
import { type ClusterSums, valueOfAll, valuesWithoutOne } from "./cluster-sums.js";
import { jackknifeVariance } from "./loss.js";
import { normalQuantile } from "./normal.js";
import { meanOf } from "./quantile.js";
import { race } from "./race.js";
import { logit, rootOf } from "./root.js";
import { studentQuantile } from "./student.js";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Below this many users an interval says nothing: it is undefined (a dash in tables). */
export const MIN_USERS = 10;

/** Scores of an arm's repeats: how much they differ is noise that whole runs share. */
export interface Repeats {
  /** Standard deviation between the scores. */
  readonly sd: number;
  readonly count: number;
}

/** A variance with its degrees of freedom. */
interface Variance {
  readonly variance: number;
  readonly degrees: number;
}

/** The jackknife's variance over users with that of repeats added (Satterthwaite's degrees). */
export function withRepeats(ofUsers: number, users: number, repeats: readonly Repeats[]): Variance {
  const parts = repeats
    .filter(({ count }) => count > 1)
    .map(({ sd, count }) => ({ part: sd ** 2 / count, degrees: count - 1 }));
  const shared = parts.reduce((sum, { part }) => sum + part, 0);
  if (shared === 0) return { variance: ofUsers, degrees: users - 1 };
  const variance = ofUsers + shared;
  const squares = parts.reduce((sum, { part, degrees }) => sum + part ** 2 / degrees, ofUsers ** 2 / (users - 1));
  return { variance, degrees: variance ** 2 / squares };
}

/** A score from 0 to 1 whose interval is wanted. */
interface Share extends Variance {
  readonly value: number;
  readonly users: number;
  /** Most answers that the variance may be worth; undefined for no limit. */
  readonly most?: number | undefined;
}

/**
 * 95 % interval of a share by the beta distribution, at as many answers as its variance is worth: never outside 0 to 1, never a
 * point. Source: Korn and Graubard, Survey Methodology 24(2), 1998; it is the interval that NCHS publishes by.
 */
export function betaInterval({ value, variance, degrees, users, most }: Share): Interval {
  const worth = variance <= 0 ? users : (value * (1 - value)) / variance;
  const answers = variance <= 0 ? worth : Math.min(worth, most ?? worth);
  const count = answers * (normalQuantile(1 - TAIL) / studentQuantile(1 - TAIL, degrees)) ** 2;
  const hits = value * count;
  return {
    low: betaQuantile(TAIL, hits, count - hits + 1),
    high: betaQuantile(1 - TAIL, hits + 1, count - hits),
  };
}

/** 95 % ends of the mean of values from 0 to `range` by the exact test over questions, a worst and a best question added. */
export function exactEnds(values: Float64Array, range: number): Interval {
  const above = (mean: number) =>
    race(
      values.map((value) => value - mean),
      mean,
    );
  const below = (mean: number) =>
    race(
      values.map((value) => mean - value),
      range - mean,
    );
  return {
    low: rootOf((mean) => logit(TAIL) - logit(above(mean)), 0, range),
    high: rootOf((mean) => logit(below(mean)) - logit(TAIL), 0, range),
  };
}

/** A score as a share of its range, and what leaving out each user in turn tells of it. */
interface Jackknifed {
  readonly value: number;
  /** Without the bias that the jackknife sees: a mean over labels is low where labels are rare. */
  readonly unbiased: number;
  readonly variance: number;
  readonly users: UserParts;
}

/** Each user's part of a score and share of the answers. The parts of a mean over answers add up to it, others nearly. */
interface UserParts {
  readonly parts: Float64Array;
  readonly shares: Float64Array;
}

/** The jackknife over users. */
export function jackknifed(sums: ClusterSums, range = 1): Jackknifed {
  const value = valueOfAll(sums) / range;
  const withoutOne = valuesWithoutOne(sums).map((without) => without / range);
  const mean = meanOf(withoutOne);
  const unbiased = value - (withoutOne.length - 1) * (mean - value);
  const all = sums.counts.reduce((sum, count) => sum + count, 0);
  const shares = sums.counts.map((count) => count / all);
  const parts = shares.map((share, u) => value * share + (value - withoutOne[u]!) * (1 - share));
  return { value, unbiased, variance: jackknifeVariance(value, withoutOne), users: { parts, shares } };
}

/** An arm's score and what its interval is made of. */
interface ScoreRequest {
  /** By user; of a root of a mean the sums before the root. */
  readonly sums: ClusterSums;
  /** Scores go from 0 to this. */
  readonly range: number;
  readonly repeats: Repeats;
  /** Each question's value, the mean over its repeats. Absent: it has none of its own, a mean over labels. */
  readonly values?: Float64Array;
  /** Whether each single value is 0 or 1. */
  readonly answers: boolean;
}

/**
 * 95 % interval of a score for users drawn like these: the beta interval on the jackknife's error, widened where users may fail that
 * are not in the set (`reachUsers`); of errors and ROUGE each end the wider of that and the exact end over questions. Nothing is drawn.
 * Undefined below MIN_USERS users.
 */
export function scoreInterval({ sums, range, repeats, values, answers }: ScoreRequest): Interval | undefined {
  const users = sums.counts.length;
  if (users < MIN_USERS) return undefined;
  const { value, unbiased, variance, users: ofUsers } = jackknifed(sums, range);
  const spread = withRepeats(variance, users, [{ sd: repeats.sd / range, count: repeats.count }]);
  const centre = values === undefined ? Math.min(0.99, Math.max(0.01, unbiased)) : value;
  const questions = values?.length ?? sums.counts.reduce((sum, count) => sum + count, 0) / repeats.count;
  const most = values === undefined || answers ? questions : undefined;
  const beta = betaInterval({ value: Math.min(1, centre), ...spread, users, most });
  const best = answers ? 1 : sums.isShare ? undefined : largestShare(values, range);
  const found = users > MOST_USERS ? beta : reachUsers(beta, ofUsers, best);
  const exact = values === undefined || answers || values.length > MOST_EXACT ? undefined : exactEnds(values, range);
  return {
    low: Math.min(range * value, range * found.low, exact?.low ?? range),
    high: Math.max(range * value, range * found.high, exact?.high ?? 0),
  };
}

const ROUNDING = 1e-12;

const TAIL = 0.025;
/** Of the test over users: coverage stays at 90 % where the beta interval alone holds 80 to 89, and mid-scale little is wider. */
const USERS_RISK = 0.15;
/** Of more users the test costs time and reaches no further than the error does. */
const MOST_USERS = 1_000;
/** Of more questions the exact ends are those of the normal distribution, and take seconds. */
const MOST_EXACT = 20_000;

/** The largest value as a share of the range; the whole where none but 0 was seen. */
function largestShare(values: Float64Array | undefined, range: number): number {
  const largest = values?.reduce((most, value) => Math.max(most, value), 0) ?? 0;
  return largest > ROUNDING ? Math.min(1, largest / range) : 1;
}

/**
 * An interval of a share with each end at least as far out as the test over users puts it at the risk USERS_RISK, one user of mean size
 * added whose answers are all the worst, or for the upper end all `best` (undefined: that end stays). Near an end of the scale a sample may lack the few users that fail:
 * then its variance is too small, and only an unseen user tells. Source: the test of `race`; the risk by simulation (docs/STATISTICS.md).
 */
function reachUsers({ low, high }: Interval, { parts, shares }: UserParts, best: number | undefined): Interval {
  const size = 1 / parts.length;
  const above = (mean: number) =>
    race(
      parts.map((part, u) => part - mean * shares[u]!),
      mean * size,
    );
  const below = (mean: number) =>
    best === undefined
      ? 0
      : race(
          parts.map((part, u) => mean * shares[u]! - part),
          (best - mean) * size,
        );
  return {
    low: above(low) <= USERS_RISK ? low : rootOf((mean) => logit(USERS_RISK) - logit(above(mean)), 0, low),
    high: below(high) <= USERS_RISK ? high : rootOf((mean) => logit(below(mean)) - logit(USERS_RISK), high, 1),
  };
}
