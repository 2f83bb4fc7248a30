import { UsageError } from "../errors.js";
import { pyStrip } from "../text/python.js";
import type { Task } from "../types.js";
import type { UserRecord } from "./source.js";

export const FOREIGN_LABELS = "past labels outside the task's list";

interface PastLabels {
  /** Throws UsageError at the first foreign label, unless they are kept. */
  check(record: UserRecord): void;
  /** For tables and manifest; empty where every past label is one of the task's. */
  facts(): Readonly<Record<string, string>>;
}

/**
 * Checks the labels of past items against the task's list, as golds are checked. A label that is not in the list usually
 * comes from a file of another task, and methods would show it to the model as if it could be an answer. Free text and
 * built labels (LaMP-1) are not checked.
 */
export function pastLabels(task: Task, foreign: "error" | "keep"): PastLabels {
  let [count, first] = [0, ""];
  const known = new Set(task.labels);
  const isForeign = (label: string): boolean =>
    !known.has(pyStrip(label)) && !(task.kind === "rating" && known.has(String(Number(label))));
  return {
    check({ where, user, profile, queries }) {
      if (task.kind === "text" || task.choice !== undefined) return;
      for (const item of [profile, ...queries.map((query) => query.profile ?? [])].flat()) {
        const { label } = task.event(item);
        if (label === undefined || known.has(label) || !isForeign(label)) continue;
        const place = `${where}, user ${user}, past item ${item.id}: label ${JSON.stringify(label.slice(0, 40))}`;
        if (foreign === "error")
          throw new UsageError(
            `${place} is no answer of ${task.name} (${task.labels.slice(0, 6).join(", ")}${task.labels.length > 6 ? ", ..." : ""}); mend it, check --task, or keep such items with --set data.foreignLabels=keep`,
          );
        if (count === 0) first = place;
        count++;
      }
    },
    facts: () => (count === 0 ? {} : { [FOREIGN_LABELS]: `${count}, first ${first}` }),
  };
}
