import type { Metric, Pair } from "../types/index.js";
import { isMean } from "./mean-metric.js";

/** Per-user contributions of one metric, zeros left out: a user with few pairs touches few of a macro metric's sums. */
export interface ClusterSums {
  /** The metric itself, or its mean over repeats. */
  readonly metric: Pick<Metric, "width" | "value">;
  /** Whether the value is a mean of numbers from 0 to 1, each better the higher: accuracy, ROUGE. */
  readonly isShare: boolean;
  /** Pairs per user, of all repeats. Users without pairs are left out. */
  readonly counts: Float64Array;
  /** User c owns the positions starts[c] .. starts[c+1] of `slots` and `values`. */
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly values: Float64Array;
}

/** Adds up each user's contributions once. Throws ScoreError where the metric does. */
export function clusterSums(metric: Metric, clusters: readonly (readonly Pair[])[]): ClusterSums {
  return repeatSums(
    metric,
    clusters.map((pairs) => [pairs]),
  );
}

/**
 * The same for an arm that ran several times: `clusters[user][repeat]` are pairs, and the value is the mean of the metric over
 * the repeats that have any, as tables print it. A draw of users is one draw for all repeats.
 */
export function repeatSums(metric: Metric, clusters: readonly (readonly (readonly Pair[])[])[]): ClusterSums {
  const repeats = clusters.reduce((most, cluster) => Math.max(most, cluster.length), 1);
  const whole = repeats === 1 ? metric : meanOverRepeats(metric, repeats);
  const [counts, starts]: [number[], number[]] = [[], [0]];
  const [slots, values]: [number[], number[]] = [[], []];
  const sums = new Float64Array(whole.width);
  for (const cluster of clusters) {
    const count = cluster.reduce((all, pairs) => all + pairs.length, 0);
    if (count === 0) continue;
    for (const [repeat, pairs] of cluster.entries()) {
      const at = repeat * (metric.width + 1);
      for (const pair of pairs) metric.add(pair, sums, at);
      if (repeats > 1) sums[at + metric.width]! += pairs.length;
    }
    for (const [slot, value] of sums.entries()) {
      if (value === 0) continue;
      slots.push(slot);
      values.push(value);
    }
    sums.fill(0);
    counts.push(count);
    starts.push(slots.length);
  }
  return {
    metric: whole,
    isShare: isMean(metric) && metric.better === "higher",
    counts: Float64Array.from(counts),
    starts: Int32Array.from(starts),
    slots: Int32Array.from(slots),
    values: Float64Array.from(values),
  };
}

/** The metric over all users. */
export function valueOfAll(sums: ClusterSums): number {
  return valueOfWeighted(sums, new Int32Array(sums.counts.length).fill(1), new Float64Array(sums.metric.width));
}

/** The metric where user c stands `weights[c]` times. `totals` is room to work in, as long as the metric is wide. */
export function valueOfWeighted(sums: ClusterSums, weights: Int32Array, totals: Float64Array): number {
  const { metric, counts, starts, slots, values } = sums;
  totals.fill(0);
  let pairs = 0;
  for (let user = 0; user < weights.length; user++) {
    const weight = weights[user]!;
    if (weight === 0) continue;
    pairs += weight * counts[user]!;
    const end = starts[user + 1]!;
    for (let at = starts[user]!; at < end; at++) totals[slots[at]!]! += weight * values[at]!;
  }
  return metric.value(totals, pairs);
}

/** The metric without one user, for every user. */
export function valuesWithoutOne(sums: ClusterSums): Float64Array {
  const weights = new Int32Array(sums.counts.length).fill(1);
  const all = new Float64Array(sums.metric.width);
  valueOfWeighted(sums, weights, all);
  const pairs = sums.counts.reduce((total, count) => total + count, 0);
  const totals = new Float64Array(all.length);
  return sums.counts.map((count, user) => {
    totals.set(all);
    for (let at = sums.starts[user]!; at < sums.starts[user + 1]!; at++) totals[sums.slots[at]!]! -= sums.values[at]!;
    return sums.metric.value(totals, pairs - count);
  });
}

/** Each repeat owns as many sums as the metric is wide, and its number of pairs behind them. */
function meanOverRepeats(metric: Metric, repeats: number): ClusterSums["metric"] {
  const step = metric.width + 1;
  return {
    width: repeats * step,
    value(sums) {
      let [total, known] = [0, 0];
      for (let at = 0; at < sums.length; at += step) {
        const count = sums[at + metric.width]!;
        if (count === 0) continue;
        total += metric.value(sums.subarray(at, at + metric.width), count);
        known += 1;
      }
      return total / known; // no number where no repeat has any
    },
  };
}
