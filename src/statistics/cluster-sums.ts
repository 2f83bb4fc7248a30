import type { Metric, Pair } from "../types.js";

/** Per-user contributions of one metric, zeros left out: a user with few pairs touches few of a macro metric's sums. */
export interface ClusterSums {
  readonly metric: Metric;
  /** Pairs per user, users without pairs left out. A question asked several times counts as one where so added. */
  readonly counts: Float64Array;
  /** User c owns the positions starts[c] .. starts[c+1] of `slots` and `values`. */
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly values: Float64Array;
}

/** Adds up each user's contributions once. Throws ScoreError where the metric does. */
export function clusterSums(metric: Metric, clusters: readonly (readonly Pair[])[]): ClusterSums {
  return questionSums(
    metric,
    clusters.map((pairs) => pairs.map((pair) => [pair])),
  );
}

/**
 * The same where a question was asked several times: its pairs count as one question, their contributions as the mean,
 * so that a question whose repeats failed in part weighs as much as any other. Questions without pairs are left out.
 */
export function questionSums(metric: Metric, clusters: readonly (readonly (readonly Pair[])[])[]): ClusterSums {
  const counts: number[] = [];
  const starts = [0];
  const slots: number[] = [];
  const values: number[] = [];
  const own = new Float64Array(metric.width);
  const sums = new Float64Array(metric.width);
  for (const questions of clusters) {
    const asked = questions.filter((pairs) => pairs.length > 0);
    if (asked.length === 0) continue;
    sums.fill(0);
    for (const pairs of asked) addMean(metric, pairs, sums, own);
    for (const [slot, value] of sums.entries()) {
      if (value === 0) continue;
      slots.push(slot);
      values.push(value);
    }
    counts.push(asked.length);
    starts.push(slots.length);
  }
  return {
    metric,
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

// --- internal ---

function addMean(metric: Metric, pairs: readonly Pair[], sums: Float64Array, own: Float64Array): void {
  const only = pairs[0];
  if (pairs.length === 1 && only !== undefined) {
    metric.add(only, sums);
    return;
  }
  own.fill(0);
  for (const pair of pairs) metric.add(pair, own);
  for (const [slot, value] of own.entries()) sums[slot]! += value / pairs.length;
}
