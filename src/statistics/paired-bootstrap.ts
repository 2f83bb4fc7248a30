import { seeded } from "../random/seeded.js";
import type { Metric, Pair } from "../types.js";
import {
  type BootstrapSettings,
  clusterSums,
  drawUsers,
  type Interval,
  MIN_CLUSTERS,
  quantile,
  valueOfUsers,
} from "./bootstrap.js";

/** One user's scored pairs in both arms, of the same questions. */
export interface PairedCluster {
  readonly a: readonly Pair[];
  readonly b: readonly Pair[];
}

export interface PairedDifference {
  /** Percentile interval of value(b) - value(a). */
  readonly interval: Interval;
  /** Two-sided: twice the share of resamples on the far side of zero. Never below 2 / (resamples + 1). */
  readonly p: number;
}

/** Default number of resamples: p down to .0002, so that a family can pay Holm's price. */
export const PAIRED_RESAMPLES = 10_000;

/**
 * Difference of a metric between two arms by resampling whole users, the same draw for both arms. Undefined below
 * MIN_CLUSTERS users. Throws RangeError when a user has pairs in one arm only, ScoreError where the metric does.
 * Source: Efron and Tibshirani 1993, ch. 13 and 16; p with the + 1 of Davison and Hinkley, Bootstrap Methods, 1997, 4.2.
 */
export function pairedDifference(
  request: BootstrapSettings & { readonly metric: Metric; readonly clusters: readonly PairedCluster[] },
): PairedDifference | undefined {
  const { metric, clusters, seed, level = 0.95, resamples = PAIRED_RESAMPLES } = request;
  if (clusters.some(({ a, b }) => (a.length === 0) !== (b.length === 0)))
    throw new RangeError("a user has pairs in one arm only");
  const a = clusterSums(
    metric,
    clusters.map(({ a }) => a),
  );
  const b = clusterSums(
    metric,
    clusters.map(({ b }) => b),
  );
  const users = a.counts.length;
  if (users < MIN_CLUSTERS) return undefined;
  const random = seeded(seed);
  const drawn = new Int32Array(users);
  const differences = new Float64Array(resamples);
  for (let i = 0; i < resamples; i++) {
    drawUsers(random, drawn);
    differences[i] = valueOfUsers(b, drawn) - valueOfUsers(a, drawn);
  }
  differences.sort();
  return {
    interval: { low: quantile(differences, (1 - level) / 2), high: quantile(differences, (1 + level) / 2) },
    p: twoSided(differences),
  };
}

// --- internal ---

/** Below this a difference of two sums is rounding, and counts for both sides. */
const ROUNDING = 1e-12;

function twoSided(differences: Float64Array): number {
  let notAbove = 0;
  let notBelow = 0;
  for (const difference of differences) {
    if (difference <= ROUNDING) notAbove += 1;
    if (difference >= -ROUNDING) notBelow += 1;
  }
  return Math.min(1, (2 * (1 + Math.min(notAbove, notBelow))) / (differences.length + 1));
}
