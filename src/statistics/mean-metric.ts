import type { Metric } from "../types.js";

/**
 * Whether a metric is the plain mean of one value per pair (accuracy, MAE, ROUGE; not macro-F1, not RMSE): only then has a
 * single question a value of its own, and tests over questions a meaning. Read off the metric's definition.
 */
export function isMean({ width, value }: Metric): boolean {
  return width === 1 && value(Float64Array.of(3), 4) === 0.75 && value(Float64Array.of(1), 2) === 0.5;
}
