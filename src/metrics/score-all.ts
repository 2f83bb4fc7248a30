import { ScoreError } from "../errors.js";
import type { Metric, Pair } from "../types/index.js";

/** Returns the metric over all pairs. Throws ScoreError where the official script crashes: no pairs, non-finite ratings. */
export function scoreAll(metric: Metric, pairs: readonly Pair[]): number {
  if (pairs.length === 0) throw new ScoreError("no pairs to score");
  const sums = new Float64Array(metric.sumCount);
  for (const pair of pairs) metric.add(pair, sums);
  return metric.value(sums, pairs.length);
}
