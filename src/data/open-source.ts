import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError } from "../errors.js";
import type { Task } from "../types/index.js";
import { dataFormats } from "./formats/index.js";
import { entries } from "./golds.js";
import type { ReadSettings, Source, Split } from "./source.js";

/** The folder of the built-in demo data of a task. */
export const demoFolder = (task: Task): string =>
  fileURLToPath(new URL(`../../datasets/demo/${task.name}`, import.meta.url));

/**
 * Opens the data set at a path, or in the folder of the task below it; without a path the built-in demo data. Throws UsageError saying
 * what was looked for.
 */
export async function openSource(
  path: string | undefined,
  task: Task,
  { split = "auto", seed = 0, tier = "32k" }: Partial<ReadSettings> = {},
): Promise<Source> {
  const settings: ReadSettings = { split: path === undefined ? "auto" : split, seed, tier };
  const formats = task.format === undefined ? dataFormats.all : [dataFormats.get(task.format)];
  const folders = path === undefined ? [demoFolder(task)] : [path, `${path}/${task.name}`, `${path}/${task.official}`];
  for (const folder of folders)
    for (const format of formats) {
      const source = await format.find(folder, task, settings);
      if (source !== undefined) return path === undefined ? { ...source, name: "demo" } : source;
    }
  if (path === undefined) throw new UsageError(`there is no demo data for ${task.name}; name a folder with --data`);
  throw new UsageError(`--data ${path}: ${await notFound(path, task, split)}`);
}

async function notFound(path: string, { name, format, table }: Task, split: Split): Promise<string> {
  if (!existsSync(path)) return "no such file or folder; check the path (LaMP's own data: lamp-eval data download)";
  const names = (await entries(path)).slice(0, 6).join(", ");
  const found = names === "" ? "" : `; found ${names}`;
  if (format !== undefined) return `expected ${dataFormats.get(format).summary}${found}`;
  if (table !== undefined)
    return `no ${name} data here; expected {test|val|train}*.parquet, .jsonl or .json (docs/DATA.md)${found}`;
  const wanted = split === "auto" ? "{train|dev|test}" : split;
  return `no LaMP data here; expected ${wanted}_questions.json (official) or users.json (per-user form), or a .jsonl file of own data${found}`;
}
