import { ScoreError } from "../errors.js";
import type { Metric, Pair } from "../types/index.js";

/** Tells whether a pair counts in a metric. */
export const takes = (metric: Metric, pair: Pair): boolean => metric.takes?.(pair) ?? pair.hasGold !== false;

/** Returns the metric over all pairs that count. Throws ScoreError where the official script crashes: no pairs, non-finite ratings. */
export function scoreAll(metric: Metric, pairs: readonly Pair[]): number {
  const taken = pairs.filter((pair) => takes(metric, pair));
  if (taken.length === 0) throw new ScoreError("no pairs to score");
  const sums = new Float64Array(metric.sumCount);
  for (const pair of taken) metric.add(pair, sums);
  return metric.value(sums, taken.length);
}
