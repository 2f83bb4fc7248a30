import type { Metric, Pair } from "../types.js";
import { type Interval, intervalOf, pAtLeast, pAtMost, type Resampled, resampled } from "./bca.js";
import { type BootstrapSettings, MIN_CLUSTERS } from "./bootstrap.js";
import { type ClusterSums, clusterSums, valueOfAll, valuesWithoutOne } from "./cluster-sums.js";
import { resample } from "./resample.js";

/** One user's scored pairs in both arms, of the same questions. */
export interface PairedCluster {
  readonly a: readonly Pair[];
  readonly b: readonly Pair[];
}

/** The same users' sums of one metric in both arms. */
export interface PairedSums {
  readonly a: ClusterSums;
  readonly b: ClusterSums;
}

export interface PairedDifference {
  /** Interval of value(b) - value(a). */
  readonly interval: Interval;
  /** Two-sided: twice the smaller one-sided risk. Never below 2 / (resamples + 1). */
  readonly p: number;
}

/** Default number of resamples: p down to 2 / 10,001, so that a family of 250 can pay Holm's price at alpha .05. */
export const PAIRED_RESAMPLES = 10_000;

/**
 * Difference of a metric between two arms by resampling whole users, the same draw for both arms. Undefined below
 * MIN_CLUSTERS users. Throws RangeError when a user has pairs in one arm only, ScoreError where the metric does.
 */
export function pairedDifference(
  request: BootstrapSettings & { readonly metric: Metric; readonly clusters: readonly PairedCluster[] },
): PairedDifference | undefined {
  const { metric, clusters } = request;
  if (clusters.some(({ a, b }) => (a.length === 0) !== (b.length === 0)))
    throw new RangeError("a user has pairs in one arm only");
  const [ofA, ofB] = [clusters.map(({ a }) => a), clusters.map(({ b }) => b)];
  return differencesOfSums([{ a: clusterSums(metric, ofA), b: clusterSums(metric, ofB) }], request)[0];
}

/** The same for several metrics from the same draws, each as it would be alone; their sums were added up before. */
export function differencesOfSums(
  sums: readonly PairedSums[],
  settings: BootstrapSettings,
): readonly (PairedDifference | undefined)[] {
  const { seed, level = 0.95, resamples = PAIRED_RESAMPLES } = settings;
  if ((sums[0]?.a.counts.length ?? 0) < MIN_CLUSTERS) return sums.map(() => undefined);
  return resampledDifferences(sums, resamples, seed).map((found) => ({
    interval: intervalOf(found, level),
    p: Math.min(1, 2 * Math.min(pAtMost(found, 0), pAtLeast(found, 0))),
  }));
}

/** value(b) - value(a) of several metrics over the same resamples of the same users. */
export function resampledDifferences(
  sums: readonly PairedSums[],
  resamples: number,
  seed: string | number,
): readonly Resampled[] {
  const values = resample(
    sums.flatMap(({ a, b }) => [a, b]),
    resamples,
    seed,
  );
  return sums.map(({ a, b }, s) =>
    resampled(
      valueOfAll(b) - valueOfAll(a),
      minus(values[2 * s + 1]!, values[2 * s]!),
      minus(valuesWithoutOne(b), valuesWithoutOne(a)),
    ),
  );
}

// --- internal ---

const minus = (b: Float64Array, a: Float64Array): Float64Array => b.map((value, i) => value - a[i]!);
