import type { Metric } from "../types/index.js";

/**
 * Whether a metric is the plain mean of one value per pair (accuracy, MAE, ROUGE; not macro-F1, not RMSE): only then has a
 * single question a value of its own, and tests over questions a meaning. Read off the metric's definition.
 */
export function isMean({ width, value }: Metric): boolean {
  return width === 1 && value(Float64Array.of(3), 4) === 0.75 && value(Float64Array.of(1), 2) === 0.5;
}

/** Whether a metric is the root of such a mean (RMSE), whose sums are then judged as a mean of squares. */
export function isRootOfMean({ width, value }: Metric): boolean {
  return width === 1 && value(Float64Array.of(36), 4) === 3 && value(Float64Array.of(8), 2) === 2;
}

/** The mean behind a root of a mean, with the square of its largest value; any other metric as it is. */
export function beforeRoot(metric: Metric): Metric {
  if (!isRootOfMean(metric)) return metric;
  const { most } = metric;
  return { ...metric, ...(most && { most: most ** 2 }), value: (sums, count) => sums[0]! / count };
}
