import type { Metric, Pair } from "../types.js";
import { type Interval, intervalOf, resampled } from "./bca.js";
import { type ClusterSums, clusterSums, valueOfAll, valuesWithoutOne } from "./cluster-sums.js";
import { resample } from "./resample.js";
import { wilson } from "./wilson.js";

export { type Interval, quantile } from "./bca.js";

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
 * Interval of a metric by resampling whole users, since one user's questions are not independent: bias-corrected,
 * accelerated, widened for few users (see `intervalOf`). Where all users have the same value it is Wilson's over users for
 * accuracy and ROUGE, and undefined for other metrics. Each cluster holds one user's pairs.
 * Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 14; Field and Welsh, JRSS B 69(3), 2007 (clusters).
 */
export function clusterInterval(
  request: BootstrapSettings & { readonly metric: Metric; readonly clusters: readonly (readonly Pair[])[] },
): Interval | undefined {
  return intervalsOfSums([clusterSums(request.metric, request.clusters)], request)[0];
}

/** The intervals of several metrics of the same users, from the same draws, each as it would be alone. */
export function intervalsOfSums(
  sums: readonly ClusterSums[],
  settings: BootstrapSettings,
): readonly (Interval | undefined)[] {
  const { resamples = 2000, level = 0.95, seed } = settings;
  if ((sums[0]?.counts.length ?? 0) < MIN_CLUSTERS) return sums.map(() => undefined);
  return resample(sums, resamples, seed).map((values, s) => {
    const found = resampled(valueOfAll(sums[s]!), values, valuesWithoutOne(sums[s]!));
    return found.error > ROUNDING ? intervalOf(found, level) : withoutSpread(sums[s]!, found.estimate, level);
  });
}

// --- internal ---

const ROUNDING = 1e-12;

/**
 * Where all users have the same value, as with every answer wrong, resampling knows of nothing that was not seen and would
 * give a point. The mean of values from 0 to 1 has Wilson's interval, with users in place of answers: as wide as if all of a
 * user's answers were one. Of errors, and of numbers that are no mean, nothing can be said.
 */
function withoutSpread({ isShare, counts }: ClusterSums, estimate: number, level: number): Interval | undefined {
  return isShare ? wilson(estimate * counts.length, counts.length, level) : undefined;
}
