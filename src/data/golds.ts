import { readdir } from "node:fs/promises";
import { UsageError } from "../errors.js";
import type { Task } from "../types/index.js";
import type { FileFacts } from "./file-text.js";
import { checkGold, Fields } from "./record.js";
import { readJsonArray } from "./records.js";

export interface Golds {
  readonly facts: FileFacts;
  /** Question id -> gold answer. A question may be missing or have none (null): it is not scored. */
  readonly byId: ReadonlyMap<string, string>;
}

/** Reads `{"task": ..., "golds": [{id, output}]}`. Throws UsageError on a file of another task, twice-given ids, unknown labels. */
export async function readGolds(file: string, task: Task): Promise<Golds> {
  const byId = new Map<string, string>();
  const ids = new Set<string>();
  const facts = await readJsonArray(
    file,
    ({ number, value }) => {
      const fields = new Fields(value, `${file}: record ${number}`, "gold");
      const id = fields.needed("id");
      const output = fields.as(`gold of question ${id}`).text("output");
      if (ids.has(id)) fields.refuse(`question id ${id} is there twice; keep one`);
      ids.add(id);
      if (output === undefined) return;
      checkGold(output, task, `${fields.where}, question ${id}`);
      byId.set(id, output);
    },
    ["golds"],
  );
  checkTaskName(facts, task);
  return { facts, byId };
}

/**
 * The task that the file names must be this one. A shorter name passes too: files of 2023 call the news task (LaMP_2N) LaMP_2,
 * and the labels tell those from movie files.
 */
function checkTaskName(facts: FileFacts, task: Task): void {
  const named = taskNamed(facts);
  if (named === undefined) return;
  const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  if ([task.name, task.official, ...task.aliases].some((spelling) => fold(spelling).startsWith(fold(named)))) return;
  throw new UsageError(`${facts.file}: is of task "${named}", not ${task.official}; check --task or the path`);
}

/** Returns the task that a gold file names. */
export const taskNamed = ({ around }: FileFacts): string | undefined =>
  around !== null && typeof around === "object" && "task" in around ? String(around.task) : undefined;

/** Returns the names in a folder; none where there is no such folder. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw error;
  }
}
