import { basename, resolve } from "node:path";
import { readText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { sha256 } from "../text/content-id.js";
import { fileTrouble, withoutMark } from "../text/file-trouble.js";
import type { OptionValue } from "../types/index.js";
import type { Catalogue } from "./catalogue.js";
import { allOptions } from "./options.js";
import type { Given, Plan } from "./types.js";

/** A plan whose options name files by their content, and these contents. */
interface PlanWithFiles {
  readonly plan: Plan;
  /** Texts by name: `rankings.json@1f0c2a4b6d8e`. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Reads the files that options name. An arm is then named by what they hold, wherever they lie. Throws UsageError on one that cannot
 * be read.
 */
export function withInputFiles(plan: Plan, catalogue: Catalogue, cwd: string): PlanWithFiles {
  const table = allOptions(catalogue);
  const files = new Map<string, string>();
  const namedValue = (option: string, value: OptionValue): OptionValue => {
    const { file } = table[option] ?? {};
    const path = file?.pathIn(value);
    if (file === undefined || path === undefined) return value;
    const text = textOf(resolve(cwd, path), path, option);
    const name = `${basename(path)}@${sha256(text).slice(0, ID_LENGTH)}`;
    files.set(name, text);
    return file.withName(value, name);
  };
  const named = (given: Given): Given => mapped(given, (value, option) => namedValue(option, value));
  const { tasks, options, sweep } = plan;
  const byContent = {
    ...plan,
    tasks: tasks.map((task) => ({ ...task, options: named(task.options) })),
    options: named(options),
  };
  if (sweep === undefined) return { plan: byContent, files };
  const axes = mapped(sweep.axes, (values, option) => values.map((value) => namedValue(option, value)));
  return { plan: { ...byContent, sweep: { ...sweep, axes, points: sweep.points.map(named) } }, files };
}

const ID_LENGTH = 12;

const mapped = <T, U>(table: Readonly<Record<string, T>>, make: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, make(value, name)]));

function textOf(path: string, shown: string, option: string): string {
  try {
    return withoutMark(readText(path));
  } catch (error) {
    throw new UsageError(`--set ${option}: ${shown}: ${fileTrouble(error)}`);
  }
}
