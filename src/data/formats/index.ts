import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../errors.js";
import { registry } from "../../registry/registry.js";
import type { Task } from "../../types/index.js";
import { filesIn } from "../golds.js";
import type { ReadSettings, Source } from "../source.js";
import { lampQaFiles } from "./lamp-qa.js";
import { longlamp } from "./longlamp.js";
import { official } from "./official.js";
import { oppu } from "./oppu.js";
import { personachat } from "./personachat.js";
import { personamem } from "./personamem.js";
import { rows } from "./rows.js";

/** All forms of data files, in the order in which they are looked for. */
const dataFormats = registry("data format", [official, longlamp, oppu, personachat, rows, personamem, lampQaFiles]);

/** The folder of the built-in demo data of a task. */
export const demoFolder = (task: Task): string =>
  fileURLToPath(new URL(`../../../datasets/demo/${task.name}`, import.meta.url));

/**
 * Opens the data set at a path, or in the folder of the task below it; without a path the built-in demo data. Throws UsageError saying
 * what was looked for.
 */
export async function openSource(
  path: string | undefined,
  task: Task,
  { split = "auto", seed = 0, tier = "32k", visible = "strict" }: Partial<ReadSettings> = {},
): Promise<Source> {
  const settings: ReadSettings = { split: path === undefined ? "auto" : split, seed, tier, visible };
  const formats = task.format === undefined ? dataFormats.all : [dataFormats.get(task.format)];
  const folders = path === undefined ? [demoFolder(task)] : [path, `${path}/${task.name}`, `${path}/${task.official}`];
  for (const folder of folders)
    for (const format of formats) {
      const source = await format.find(folder, task, settings);
      if (source !== undefined) return path === undefined ? { ...source, name: "demo" } : source;
    }
  if (path === undefined) throw new UsageError(`there is no demo data for ${task.name}; name a folder with --data`);
  if (!existsSync(path))
    throw new UsageError(
      `--data ${path}: no such file or folder; check the path (LaMP's own data: lamp-eval data download)`,
    );
  if (path.endsWith(".csv"))
    throw new UsageError(
      `--data ${path}: own data are no CSV; write one JSON object a line into a .jsonl file (lamp-eval init writes one)`,
    );
  const names = await filesIn(path);
  const own = task.format === undefined ? names.find((name) => name.endsWith(".jsonl")) : undefined;
  if (own !== undefined) throw new UsageError(`--data ${path}: it is a folder; name the file: --data ${path}/${own}`);
  const found = names.length === 0 ? "" : `; found ${names.slice(0, 6).join(", ")}`;
  throw new UsageError(`--data ${path}: ${expected(task, settings)}${found}`);
}

function expected({ name, format, table }: Task, { split }: ReadSettings): string {
  if (format !== undefined) return `expected ${dataFormats.get(format).summary}`;
  if (table !== undefined)
    return `no ${name} data here; expected {test|val|train}*.parquet, .jsonl or .json (docs/DATA.md)`;
  const wanted = split === "auto" ? "{train|dev|test}" : split;
  return `no LaMP data here; expected ${wanted}_questions.json (official) or users.json (per-user form), or a .jsonl file of own data`;
}
