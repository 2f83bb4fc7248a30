import { deviation } from "../statistics/quantile.js";
import type { Metric } from "../types/index.js";
import { isReadAlike, mean, type ScoredRow } from "./pairs.js";
import { intervalOfArm, partsOf, type ScoredArm, scoredArm, scoresOfArm } from "./score-interval.js";
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

/** One a metric, of the scored rows of an arm; `repeats`: its cells. */
export function summarizeMetrics(
  metrics: readonly Metric[],
  repeats: readonly string[],
  rows: readonly ScoredRow[],
): MetricSummary[] {
  const arm = scoredArm(rows, repeats);
  const areAlike = rows.every(isReadAlike);
  return metrics.map((metric) => {
    const parts = partsOf(metric, arm);
    const scores = scoresOfArm(metric, arm, parts);
    return {
      name: metric.name,
      title: metric.title,
      better: metric.better,
      strict: mean(scores),
      lenient: areAlike ? mean(scores) : mean(scoresOfArm(metric, arm, partsOf(metric, arm, "lenient"))),
      interval: intervalOfArm(metric, arm, parts, scores),
      ...sparseLabels(metric, () => goldsOf(arm)),
      spread: repeats.length === 1 ? undefined : deviation(scores),
    };
  });
}

/** The gold of every question, once each: the last row's. */
function goldsOf({ rows, questionOf, questions }: ScoredArm): string[] {
  const last = new Int32Array(questions);
  for (const [r, question] of questionOf.entries()) last[question] = r;
  return Array.from(last, (r) => rows[r]!.gold);
}
