import { listedLabel } from "../tasks/label-summary.js";
import type { Metric, Task, Unit } from "../types.js";

/**
 * What always answering a user's most frequent past label would score: the floor under every method. It sees what methods see:
 * in prequential mode also the golds of the user's earlier questions.
 */
interface Floor {
  readonly count: number;
  readonly values: Readonly<Record<string, number>>;
}

/**
 * Undefined where histories carry no labels of a fixed set (text tasks, stock LaMP-1). Ties: the label seen last. Questions before
 * the first label of their user are left out.
 */
export function majorityFloor(task: Task, units: Iterable<Unit>, online = false): Floor | undefined {
  if (task.labels.length === 0) return undefined;
  const sums = task.metrics.map((metric: Metric) => new Float64Array(metric.width));
  let count = 0;
  for (const { user, examples } of units) {
    const most = mostFrequent(task.labels);
    for (const { label } of user.history) if (label !== undefined) most.see(label);
    for (const { gold } of examples) {
      if (gold === undefined) continue;
      const prediction = most.label();
      if (prediction !== undefined) {
        for (const [m, metric] of task.metrics.entries()) metric.add({ prediction, gold }, sums[m]!);
        count += 1;
      }
      if (online) most.see(gold);
    }
  }
  if (count === 0) return undefined;
  return {
    count,
    values: Object.fromEntries(task.metrics.map((metric, m) => [metric.name, metric.value(sums[m]!, count)])),
  };
}

/** The most frequent of the labels seen; of equally frequent ones the one seen last. */
function mostFrequent(labels: readonly string[]) {
  const counts = new Map<string, number>();
  let best: string | undefined;
  return {
    see(spelt: string): void {
      const label = listedLabel(spelt, labels);
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      if (best === undefined || count >= (counts.get(best) ?? 0)) best = label;
    },
    label: (): string | undefined => best,
  };
}
