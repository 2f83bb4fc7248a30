import { readFileSync } from "node:fs";
import path from "node:path";
import { tasks } from "../../../src/tasks/index.js";
import type { RawItem, Task, Unit } from "../../../src/types.js";

/** A folder of per-user histories (`users.json`, `users_label.json`) as units of its task. */
export interface Histories {
  readonly name: string;
  readonly task: Task;
  readonly units: readonly Unit[];
}

/** Questions without gold stay out: nothing can be scored on them. */
export function readHistories(folder: string): Histories {
  const users = JSON.parse(readFileSync(path.join(folder, "users.json"), "utf8")) as User[];
  const labels = JSON.parse(readFileSync(path.join(folder, "users_label.json"), "utf8")) as Labels;
  const task = tasks.get(labels.task);
  const golds = new Map(labels.golds.map(({ id, output }) => [id, output]));
  const units = users.map((user): Unit => {
    const history = user.profile.map((item) => task.event(item));
    const examples = user.query.flatMap(({ id, input, date }) => {
      const gold = golds.get(id);
      return gold === undefined ? [] : [{ question: task.question({ id, input, ...(date && { date }) }), gold }];
    });
    return { id: user.user_id, user: { id: user.user_id, history }, examples };
  });
  return { name: path.basename(folder), task, units };
}

interface User {
  readonly user_id: string;
  readonly profile: readonly RawItem[];
  readonly query: readonly { readonly id: string; readonly input: string; readonly date?: string }[];
}

interface Labels {
  readonly task: string;
  readonly golds: readonly { readonly id: string; readonly output: string }[];
}
