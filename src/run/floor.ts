import type { Metric, Task, Unit } from "../types.js";

/** What always answering a user's most frequent past label would score: the floor under every method. */
export interface Floor {
  readonly count: number;
  readonly values: Readonly<Record<string, number>>;
}

/** Undefined where histories carry no labels of a fixed set (text tasks, stock LaMP-1). Ties: the label seen last. */
export function majorityFloor(task: Task, units: Iterable<Unit>): Floor | undefined {
  if (task.labels.length === 0) return undefined;
  const sums = task.metrics.map((metric: Metric) => new Float64Array(metric.width));
  let count = 0;
  for (const { user, examples } of units) {
    const prediction = mostFrequentLabel(user.history.flatMap(({ label }) => (label === undefined ? [] : [label])));
    if (prediction === undefined) continue;
    for (const { gold } of examples) {
      if (gold === undefined) continue;
      task.metrics.forEach((metric, m) => {
        metric.add({ prediction, gold }, sums[m]!);
      });
      count += 1;
    }
  }
  if (count === 0) return undefined;
  return {
    count,
    values: Object.fromEntries(task.metrics.map((metric, m) => [metric.name, metric.value(sums[m]!, count)])),
  };
}

// --- internal ---

function mostFrequentLabel(labels: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  let best: string | undefined;
  for (const label of labels) {
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    if (best === undefined || count >= (counts.get(best) ?? 0)) best = label;
  }
  return best;
}
