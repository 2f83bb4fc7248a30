import type { Metric } from "../types/index.js";
import { answersIn, usersOf } from "./answers.js";
import { hasEveryLabel, type Interval, scaleOf, scoreInterval, thetaOf, type UserPairs } from "./inference.js";
import { lenientPairOf, mean, meanOfRepeats, pairsByRepeat, type ScoredRow, scoresOfRepeats } from "./pairs.js";
import { deviation } from "./quantile.js";

export interface MetricSummary {
  readonly name: string;
  readonly title: string;
  readonly better: "higher" | "lower";
  /** Official reading. Undefined when nothing was scored. With repeats: the mean over repeats. */
  readonly strict: number | undefined;
  /** The same metric over what the forgiving reading found. */
  readonly lenient: number | undefined;
  /** 95 % interval of `strict`, over users. Undefined where docs/STATISTICS.md has a dash. */
  readonly interval: Interval | undefined;
  /** Standard deviation between repeats; undefined for one repeat. */
  readonly spread: number | undefined;
}

/** Returns one summary a metric, of the scored rows of an arm; `cells`: its repeats. */
export function summarizeMetrics(
  metrics: readonly Metric[],
  cells: readonly string[],
  rows: readonly ScoredRow[],
): MetricSummary[] {
  const users = usersOf(answersIn(rows, cells));
  const repeats = pairsByRepeat(rows, cells);
  const lenient = pairsByRepeat(rows, cells, lenientPairOf);
  return metrics.map((metric) => {
    const scores = scoresOfRepeats(metric, repeats);
    return {
      name: metric.name,
      title: metric.title,
      better: metric.better,
      strict: mean(scores),
      lenient: meanOfRepeats(metric, lenient),
      interval: intervalOf(metric, users),
      spread: cells.length === 1 ? undefined : deviation(scores),
    };
  });
}

/** Returns the 95 % interval of a metric over users. */
export function intervalOf(metric: Metric, users: readonly UserPairs[]): Interval | undefined {
  const scale = scaleOf(metric);
  return scale === undefined || !hasEveryLabel(metric, users)
    ? undefined
    : scoreInterval(thetaOf(metric, users), scale);
}
