import { listedLabel } from "../tasks/label-summary.js";
import type { Task, Unit } from "../types/index.js";

/**
 * By question, its user's most frequent past label: what a method must beat. It sees what methods see: in prequential mode also the
 * golds of the user's earlier questions. Undefined where histories carry no labels of a fixed set (text tasks, stock LaMP-1). Ties:
 * the label seen last. Questions before the first label of their user, and those without gold, are left out.
 */
export function majorityLabels(
  task: Task,
  units: Iterable<Unit>,
  online = false,
): Readonly<Record<string, string>> | undefined {
  if (task.labels.length === 0) return undefined;
  const answers: Record<string, string> = {};
  for (const { user, examples } of units) {
    const most = mostFrequent(task.labels);
    for (const { label } of user.history) if (label !== undefined) most.see(label);
    for (const { question, gold } of examples) {
      if (gold === undefined) continue;
      const label = most.label();
      if (label !== undefined) answers[question.id] = label;
      if (online) most.see(gold);
    }
  }
  return Object.keys(answers).length === 0 ? undefined : answers;
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
