import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { UsageError } from "../errors.js";
import type { Task } from "../types/index.js";
import { dataFormats } from "./formats/index.js";
import { entries } from "./golds.js";
import type { DataFormat, ReadSettings, Source, Split } from "./source.js";

/** The folder of the built-in demo data of a task. */
export const demoFolder = (task: Task): string =>
  fileURLToPath(new URL(`../../datasets/demo/${task.name}`, import.meta.url));

/** The data set at a path (the built-in demo data when there is none). Throws UsageError saying what was looked for. */
export async function openSource(
  path: string | undefined,
  task: Task,
  { split = "auto", seed = 0, tier = "32k" }: Partial<ReadSettings> = {},
): Promise<Source> {
  const settings: ReadSettings = { split: path === undefined ? "auto" : split, seed, tier };
  if (path === undefined) return openDemo(task, settings);
  for (const folder of [path, `${path}/${task.name}`, `${path}/${task.official}`])
    for (const format of formatsOf(task)) {
      const source = await format.find(folder, task, settings);
      if (source !== undefined) return source;
    }
  throw new UsageError(await notFound(path, task, split));
}

/** The forms in which a task's data come. */
const formatsOf = ({ format }: Task): readonly DataFormat[] =>
  format === undefined ? dataFormats.all : [dataFormats.get(format)];

async function openDemo(task: Task, settings: ReadSettings): Promise<Source> {
  const folder = demoFolder(task);
  for (const format of formatsOf(task)) {
    const source = await format.find(folder, task, settings);
    if (source !== undefined) return { ...source, name: "demo" };
  }
  throw new UsageError(`there is no demo data for ${task.name}; name a folder with --data`);
}

async function notFound(path: string, task: Task, split: Split): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (!exists)
    return `--data ${path}: no such file or folder; check the path (LaMP's own data: lamp-eval data download)`;
  const names = await entries(path);
  const { format } = task;
  if (format !== undefined)
    return `--data ${path}: expected ${dataFormats.get(format).summary}; found ${names.slice(0, 6).join(", ")}`;
  const wanted = split === "auto" ? "{train|dev|test}" : split;
  const found = names.length === 0 ? "" : `; found ${names.slice(0, 6).join(", ")}`;
  if (task.table !== undefined)
    return `--data ${path}: no ${task.name} data here; expected {test|val|train}*.parquet, .jsonl or .json (docs/DATA.md)${found}`;
  return `--data ${path}: no LaMP data here; expected ${wanted}_questions.json (official) or users.json (per-user form), or a .jsonl file of own data${found}`;
}
