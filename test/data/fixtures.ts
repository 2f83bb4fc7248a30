import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoadSettings } from "../../src/data/load.js";
import { tasks } from "../../src/tasks/index.js";
import type { Dataset, RawItem, RawQuery, UserData } from "../../src/types/index.js";
import { tempDir } from "../helpers/temp-dir.js";

/** A folder with these files; values that are no text are written as JSON. */
export function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = tempDir();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(
      join(folder, name),
      typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content),
    );
  }
  return folder;
}

export const review = (id: string, text: string, score: unknown = "3", date?: unknown) => ({
  id,
  text,
  score,
  ...(date === undefined ? {} : { date }),
});

export const asking = (text: string): string => `What is the score? review: ${text}`;

export function load(task: string, path: string, more: Partial<LoadSettings> = {}): LoadSettings {
  return { task: tasks.get(task), path, lamp1Labels: "auto", emptyProfile: "error", seed: 0, ...more };
}

export const user = (id: string, profile: readonly RawItem[], queries: readonly RawQuery[]): UserData => ({
  id,
  profile,
  queries,
});

export const dataset = (users: readonly UserData[], others?: readonly UserData[]): Dataset => ({
  name: "test",
  task: "lamp3",
  users,
  ...(others === undefined ? {} : { others }),
  files: [],
  ordered: true,
  facts: {},
});
