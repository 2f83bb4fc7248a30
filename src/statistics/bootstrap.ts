import { seeded } from "../random/seeded.js";
import type { Metric, Pair, Random } from "../types.js";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Per-user contributions of one metric, zeros left out: a user with few pairs touches few of a macro metric's sums. */
export interface ClusterSums {
  readonly metric: Metric;
  /** Pairs per user, users without pairs left out. */
  readonly counts: Int32Array;
  /** User c owns the positions starts[c] .. starts[c+1] of `slots` and `values`. */
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly values: Float64Array;
}

export interface BootstrapSettings {
  /** Default 2000. */
  readonly resamples?: number;
  /** Default .95. */
  readonly level?: number;
  readonly seed: string | number;
}

/** Below this many users a bootstrap over users says nothing: the interval is undefined (a dash in tables). */
export const MIN_CLUSTERS = 10;

/**
 * Percentile interval of a metric by resampling whole users, since one user's questions are not independent.
 * Each cluster holds one user's pairs. Same seed and users, same draws: intervals of two metrics are comparable.
 * Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13; Field and Welsh, JRSS B 69(3), 2007 (clusters).
 */
export function clusterInterval(
  request: BootstrapSettings & { readonly metric: Metric; readonly clusters: readonly (readonly Pair[])[] },
): Interval | undefined {
  return intervalOfSums(clusterSums(request.metric, request.clusters), request);
}

/** Adds up each user's contributions once. Throws ScoreError where the metric does. */
export function clusterSums(metric: Metric, clusters: readonly (readonly Pair[])[]): ClusterSums {
  const counts: number[] = [];
  const starts = [0];
  const slots: number[] = [];
  const values: number[] = [];
  for (const pairs of clusters) {
    if (pairs.length === 0) continue;
    const sums = new Float64Array(metric.width);
    for (const pair of pairs) metric.add(pair, sums);
    for (const [slot, value] of sums.entries()) {
      if (value === 0) continue;
      slots.push(slot);
      values.push(value);
    }
    counts.push(pairs.length);
    starts.push(slots.length);
  }
  return {
    metric,
    counts: Int32Array.from(counts),
    starts: Int32Array.from(starts),
    slots: Int32Array.from(slots),
    values: Float64Array.from(values),
  };
}

/** The interval from sums that were added up before. */
export function intervalOfSums(sums: ClusterSums, settings: BootstrapSettings): Interval | undefined {
  if (sums.counts.length < MIN_CLUSTERS) return undefined;
  const { resamples = 2000, level = 0.95, seed } = settings;
  const random = seeded(seed);
  const values = new Float64Array(resamples);
  const drawn = new Int32Array(sums.counts.length);
  for (let i = 0; i < resamples; i++) {
    drawUsers(random, drawn);
    values[i] = valueOfUsers(sums, drawn);
  }
  values.sort();
  return { low: quantile(values, (1 - level) / 2), high: quantile(values, (1 + level) / 2) };
}

/** Quantile of ascending values by linear interpolation between order statistics (Hyndman and Fan's type 7). */
export function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (position - below);
}

/** Draws users with replacement: as many as `drawn` is long. */
export function drawUsers(random: Random, drawn: Int32Array): void {
  for (let draw = 0; draw < drawn.length; draw++) drawn[draw] = random.below(drawn.length);
}

/** The metric over the drawn users' pairs. */
export function valueOfUsers({ metric, counts, starts, slots, values }: ClusterSums, drawn: Int32Array): number {
  const totals = new Float64Array(metric.width);
  let pairs = 0;
  for (const user of drawn) {
    pairs += counts[user]!;
    const end = starts[user + 1]!;
    for (let at = starts[user]!; at < end; at++) totals[slots[at]!]! += values[at]!;
  }
  return metric.value(totals, pairs);
}
