import { deviation } from "../statistics/quantile.js";
import type { Metric } from "../types/index.js";
import {
  isReadAlike,
  lenientPairOf,
  mean,
  meanOfRepeats,
  pairsByRepeat,
  type ScoredRow,
  scoresOfRepeats,
} from "./pairs.js";
import { armPairs, intervalOfArm } from "./score-interval.js";
import { sparseLabels } from "./sparse-labels.js";

export interface MetricSummary {
  readonly name: string;
  readonly title: string;
  readonly better: "higher" | "lower";
  /** Official reading. Undefined when nothing was scored. With repeats: the mean over repeats. */
  readonly strict: number | undefined;
  /** The same metric over what the forgiving reading found. */
  readonly lenient: number | undefined;
  /** 95 % interval of `strict`, for users drawn like these. Undefined below 10 users, and for metrics without a known largest value. */
  readonly interval: { readonly low: number; readonly high: number } | undefined;
  /** Of a mean over labels: labels so rare that its interval is not to be trusted (`sparseLabels`). Absent: none. */
  readonly sparseLabels?: number;
  /** Standard deviation between repeats; undefined for one repeat. */
  readonly spread: number | undefined;
}

/** One a metric, of the scored rows of an arm; `cells`: its repeats. */
export function summarizeMetrics(
  metrics: readonly Metric[],
  cells: readonly string[],
  rows: readonly ScoredRow[],
): MetricSummary[] {
  const arm = armPairs(rows, cells);
  const lenient = rows.every(isReadAlike) ? arm.repeats : pairsByRepeat(rows, cells, lenientPairOf);
  return metrics.map((metric) => {
    const scores = scoresOfRepeats(metric, arm.repeats);
    return {
      name: metric.name,
      title: metric.title,
      better: metric.better,
      strict: mean(scores),
      lenient: lenient === arm.repeats ? mean(scores) : meanOfRepeats(metric, lenient),
      interval: intervalOfArm(metric, arm),
      ...sparseLabels(metric, () => arm.questions.map(([pair]) => pair!.gold)), // no question is without a pair
      spread: cells.length === 1 ? undefined : deviation(scores),
    };
  });
}
