import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse as parseYaml, YAMLParseError } from "yaml";
import { z } from "zod";
import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";
import { tasks } from "../tasks/index.js";
import type { OptionValue } from "../types.js";

const optionMap = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** What a run is asked to do. The keys of a config file are these names; flags are their kebab-case forms. */
const shape = {
  /** A preset to start from. */
  extends: z.string().optional(),
  task: z.union([z.string(), z.array(z.string())]).optional(),
  method: z.union([z.string(), z.array(z.string())]).optional(),
  model: z.string().optional(),
  data: z.string().optional(),
  users: z.int().positive().optional(),
  queriesPerUser: z.int().positive().optional(),
  limit: z.int().positive().optional(),
  historyLimit: z.string().optional(),
  set: optionMap.optional(),
  /** Options for one task only, by task name: `perTask: { lamp2m: { data.maxQueriesPerUser: 3 } }`. */
  perTask: z.record(z.string(), optionMap).optional(),
  repeats: z.int().positive().optional(),
  maxCalls: z.int().nonnegative().optional(),
  maxUsd: z.number().nonnegative().optional(),
  maxFailed: z.number().min(0).max(1).optional(),
  concurrency: z.int().positive().max(1000).optional(),
  deadlineSeconds: z.number().positive().optional(),
  seed: z.int().nonnegative().optional(),
  unsupported: z.enum(["error", "drop"]).optional(),
  baseUrl: z.url().optional(),
  online: z.boolean().optional(),
  out: z.string().optional(),
} as const;
const schema = z.strictObject(shape);
export type RunConfig = z.infer<typeof schema>;

export interface RunSettings {
  readonly tasks: readonly string[];
  readonly methods: readonly string[];
  readonly model: string | undefined;
  readonly data: string | undefined;
  readonly users: number | undefined;
  readonly limit: number | undefined;
  /** Options by dotted name, for all tasks. */
  readonly set: Readonly<Record<string, OptionValue>>;
  /** The options of one task, by its canonical name: those for all tasks under those for it, layer by layer. */
  readonly setFor: (task: string) => Readonly<Record<string, OptionValue>>;
  readonly repeats: number;
  readonly maxCalls: number | undefined;
  readonly maxUsd: number | undefined;
  /** Share of failed questions above which the exit code is 1. */
  readonly maxFailed: number;
  readonly concurrency: number;
  readonly deadlineMs: number;
  readonly seed: number;
  readonly unsupported: "error" | "drop";
  readonly baseUrl: string | undefined;
  readonly online: boolean;
  readonly out: string | undefined;
  readonly preset: string | undefined;
}

/** Flags over config file over preset over defaults. Data flags become their dotted knobs. */
export function runSettings(flags: RunConfig, files: { config?: string; preset?: string }, cwd: string): RunSettings {
  const layers = [
    ...(files.preset === undefined ? [] : readPreset(files.preset, "--preset")),
    ...(files.config === undefined ? [] : readConfig(resolve(cwd, files.config), files.config)),
    checked(flags, (key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`),
  ];
  const merged: RunConfig = Object.assign({}, ...layers);
  const setFor = (task?: string): Record<string, OptionValue> =>
    Object.assign(
      {},
      ...layers.map((layer) => ({ ...knobsOf(layer), ...layer.set, ...(task && layer.perTask?.[task]) })),
    );
  const taskNames = [...new Set(list(merged.task).map((name) => tasks.get(name, "--task").name))];
  const methods = list(merged.method);
  if (taskNames.length === 0) throw new UsageError("no task; name one, e.g. --task lamp2m (lamp-eval list tasks)");
  if (methods.length === 0) throw new UsageError("no method; name one, e.g. --method rag (lamp-eval list methods)");
  return {
    tasks: taskNames,
    methods,
    model: merged.model,
    data: merged.data,
    users: merged.users,
    limit: merged.limit,
    set: setFor(),
    setFor,
    repeats: merged.repeats ?? 1,
    maxCalls: merged.maxCalls,
    maxUsd: merged.maxUsd,
    maxFailed: merged.maxFailed ?? 0,
    concurrency: merged.concurrency ?? 8,
    deadlineMs: (merged.deadlineSeconds ?? 120) * 1000,
    seed: merged.seed ?? 0,
    unsupported: merged.unsupported ?? "error",
    baseUrl: merged.baseUrl,
    online: merged.online ?? false,
    out: merged.out,
    preset: files.preset,
  };
}

// --- internal ---

/** Flags that are short forms of dotted knobs. */
const knobs = {
  queriesPerUser: "data.maxQueriesPerUser",
  historyLimit: "history.limit",
} as const satisfies Partial<Record<keyof RunConfig, string>>;

function knobsOf(layer: RunConfig): Record<string, OptionValue> {
  const given: Record<string, OptionValue> = {};
  for (const [flag, knob] of Object.entries(knobs)) {
    const value = layer[flag as keyof typeof knobs];
    if (value !== undefined) given[knob] = value;
  }
  return given;
}

const list = (names: string | readonly string[] | undefined): string[] =>
  [names ?? []]
    .flat()
    .flatMap((name) => name.split(","))
    .map((name) => name.trim())
    .filter((name, i, all) => name !== "" && all.indexOf(name) === i);

/** A preset is a config file that ships with the package: configs/presets/NAME.yaml. */
function readPreset(name: string, where: string): RunConfig[] {
  const folder = fileURLToPath(new URL("../../configs/presets/", import.meta.url));
  const path = join(folder, `${name}.yaml`);
  if (/^[\w-]+$/.test(name) && existsSync(path)) return readConfig(path, `${where} ${name}`);
  const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ""));
  throw new UsageError(`${where} ${name}: no such preset${suggest(name, names)}; presets: ${names.join(", ")}`);
}

/** The file's own layer, on top of the preset that it extends. */
function readConfig(path: string, shown: string): RunConfig[] {
  const own = checked(parsed(path, shown), (key) => (key === "" ? shown : `${shown}: ${key}`));
  const layer = own.perTask === undefined ? own : { ...own, perTask: byTaskName(own.perTask, `${shown}: perTask`) };
  return own.extends === undefined ? [layer] : [...readPreset(own.extends, `${shown}: extends`), layer];
}

/** Tasks may be spelled in any of their ways. */
const byTaskName = <T>(perTask: Readonly<Record<string, T>>, where: string): Record<string, T> =>
  Object.fromEntries(Object.entries(perTask).map(([name, value]) => [tasks.get(name, where).name, value]));

function parsed(path: string, shown: string): unknown {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${shown}: cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
  try {
    return parseYaml(content) ?? {};
  } catch (error) {
    if (error instanceof YAMLParseError)
      throw new UsageError(`${shown}: ${error.message.split("\n")[0]?.replace(/:$/, "")}`);
    throw error;
  }
}

/** `nameOf` says where a key stands, as the person wrote it; the empty key is the whole. */
function checked(value: unknown, nameOf: (key: string) => string): RunConfig {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const keys = Object.keys(shape);
    throw new UsageError(`${nameOf("")}: unknown key "${key}"${suggest(key, keys)}; keys: ${keys.join(", ")}`);
  }
  const path = issue?.path.map(String) ?? [];
  const given = path.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], value);
  const shown = path.length === 0 || given === undefined ? "" : ` ${JSON.stringify(given)}`;
  const problem = issue?.message.replace(/^Invalid input: |^Too (small|big): /, "") ?? "not readable";
  throw new UsageError(`${nameOf(path.join("."))}${shown}: ${problem}`);
}
