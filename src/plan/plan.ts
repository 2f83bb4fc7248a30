import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type * as z from "zod";
import { demoFolder } from "../data/formats/index.js";
import { defaultEmbedder } from "../embedders/index.js";
import { UsageError } from "../errors.js";
import { checkEndpoints, type Endpoints } from "../models/endpoints.js";
import { modelOption, modelRoles } from "../registry/further-models.js";
import { refuseUnknown } from "../registry/options.js";
import { choices } from "../registry/registry.js";
import { defined } from "../text/json.js";
import { namesIn } from "../text/words.js";
import type { Task } from "../types/index.js";
import { type Catalogue, extended } from "./catalogue.js";
import { checked, configPlugins, readConfig, readPreset, withPrices } from "./config.js";
import { controls } from "./controls.js";
import { withInputFiles } from "./input-files.js";
import { allOptions } from "./options.js";
import { flagOf, type OneOrMore, type RunConfig, type RunRequest, requestSchema } from "./settings.js";
import type { Batch, Given, Plan, Shard, Sweep } from "./types.js";

/** A plan, and what its names stand for. */
export interface Planned {
  readonly plan: Plan;
  /** Texts of the files that options name, by their names in the plan. */
  readonly files: ReadonlyMap<string, string>;
  /** With the tasks, methods and other objects of the request. */
  readonly catalogue: Catalogue;
}

/**
 * Resolves a request to a plan: its settings on top of a config file on top of a preset. `known`: the catalogue with all plug-ins. Opens
 * no model and no data. Throws UsageError on the first mistake.
 */
export function planRequest(request: RunRequest, known: Catalogue, cwd: string): Planned {
  const catalogue = withOwnThings(known, request);
  const plan = planOf(layersOf(settingsOf(request), catalogue, cwd), catalogue);
  return { ...withInputFiles(plan, catalogue, cwd), catalogue };
}

/** The settings of a request, with names alone. */
type Settings = z.infer<typeof requestSchema>;

/** Layers of settings; a later one overrides those before it. */
interface Layers {
  /** Presets. */
  readonly inherited: readonly RunConfig[];
  /** Config file and request. */
  readonly written: readonly Settings[];
}

/** Reads preset and config file of a request. Throws UsageError on the first mistake. */
function layersOf(request: Settings, { tasks }: Catalogue, cwd: string): Layers {
  const settings = checked(defined(request), requestSchema, flagOf);
  const { preset, config, kind, demo, model, data, baseUrl } = settings;
  const [needless] = Object.keys(defined({ "--model": model, "--data": data, "--base-url": baseUrl }));
  if (demo === true && needless !== undefined)
    throw new UsageError(`--demo brings its own model and data; leave ${needless} or --demo out`);
  const presets = preset === undefined ? [] : readPreset(preset, "--preset", tasks);
  const configs = config === undefined ? [] : readConfig(resolve(cwd, config), config, tasks);
  const otherKind = [...presets, ...configs].findLast((layer) => layer.kind !== undefined && layer.kind !== kind)?.kind;
  if (kind !== undefined && otherKind !== undefined)
    throw new UsageError(
      `sweep ${kind}: the config is of kind ${otherKind}; use lamp-eval sweep ${otherKind}, or lamp-eval run`,
    );
  const inherited = [...presets, ...configs.slice(0, -1)];
  return { inherited, written: [...configs.slice(-1), withPrices(settings, cwd, "--prices")] };
}

/** Merges layers to a plan whose options name files by their paths. Throws UsageError on the first mistake. */
function planOf({ inherited, written }: Layers, catalogue: Catalogue): Plan {
  const layers = [...inherited, ...written];
  const all: Settings = Object.assign({}, ...layers);
  const named = [...new Set(namesOf(all.task).map((name) => catalogue.tasks.get(name, "--task")))];
  if (named.length === 0) throw new UsageError("no task; name one, e.g. --task lamp2m (lamp-eval list tasks)");
  const { merged, tasks, fixed, remarks } = all.demo === true ? demoProfile(all, named) : plainProfile(all, named);
  const models = namesOf(merged.model);
  const endpoints: Endpoints = Object.assign({}, ...layers.map((layer) => layer.endpoints));
  checkEndpoints(endpoints, catalogue.providers);
  const { data, baseUrl, users, limit, concurrency, maxCalls, maxUsd, prices } = merged;
  const optionsFor = (task?: string): Given => {
    const given = optionsOf(layers, task);
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, fixed[name] ?? value]));
  };
  const plan: Plan = {
    tasks: tasks.map((name) => ({ name, options: optionsFor(name) })),
    methods: methodNames(merged, catalogue.methods),
    models,
    metrics: namesOf(merged.metric).flatMap((name) => addedMetric(name, tasks, catalogue)),
    options: optionsFor(),
    written: Object.keys(optionsOf(written)),
    ...defined({ sweep: sweepOf(merged, models) }),
    seed: merged.seed ?? 0,
    repeats: merged.repeats ?? 1,
    online: merged.online ?? false,
    demo: all.demo === true,
    ...defined({ data, users, limit, shard: shardIn(merged.shard) }),
    servers: {
      endpoints,
      ...defined({
        baseUrl,
        concurrency,
        giveUpAfterMs: milliseconds(merged.giveUpAfter),
        batch: batchOf(merged.batch),
      }),
    },
    caps: { maxFailed: merged.maxFailed ?? 0, ...defined({ maxCalls, maxUsd }) },
    prices: typeof prices === "object" ? prices : [],
    remarks,
  };
  refuseTogether(merged);
  const known = Object.keys(allOptions(catalogue));
  refuseUnknown(Object.keys(plan.options), known, "--set");
  for (const { name, options } of plan.tasks) refuseUnknown(Object.keys(options), known, `perTask ${name}`);
  return plan;
}

/** Returns the options of all layers. In each layer those for the task override those for all tasks. */
const optionsOf = (layers: readonly RunConfig[], task = ""): Given =>
  Object.assign(
    {},
    ...layers.map(({ queriesPerUser, set, perTask }) => ({
      ...defined({ "data.maxQueriesPerUser": queriesPerUser }),
      ...set,
      ...perTask?.[task],
    })),
  );

/** Returns the name of a further metric as a list; empty if all chosen tasks have it anyway. */
function addedMetric(name: string, chosen: readonly string[], { metrics, tasks }: Catalogue): string[] {
  const added = metrics.find(name);
  if (added !== undefined) return [added.name];
  const known = [...tasks.all.flatMap((task) => task.metrics), ...metrics.all].map((metric) => metric.name);
  if (!known.includes(name))
    throw new UsageError(`--metric: unknown metric "${name}"${choices(name, [...new Set(known)], "metrics")}`);
  const other = chosen.find((task) => tasks.get(task).metrics.every((metric) => metric.name !== name));
  if (other !== undefined) throw new UsageError(`--metric ${name}: it cannot score ${other}; leave it out`);
  return [];
}

/** Throws UsageError on flags that exclude each other. */
function refuseTogether({ workers, replay, batch, shard }: Settings): void {
  if (shard !== undefined && replay !== undefined)
    throw new UsageError("--replay sends nothing, so there is nothing to split; leave --shard out");
  const [other] = Object.keys(defined({ batch, replay, shard }));
  if (other !== undefined && workers !== undefined && workers !== false)
    throw new UsageError(`${flagOf(other)} and --workers do not go together; leave one out`);
}

/** Returns the names of the chosen methods. An ablation without any has all methods with ablations, and these. */
function methodNames({ method, kind }: RunConfig, methods: Catalogue["methods"]): string[] {
  const named = namesOf(method);
  if (named.length === 0 && kind !== "ablation")
    throw new UsageError("no method; name one, e.g. --method rag (lamp-eval list methods)");
  const ablations = methods.all.flatMap(({ name, ablates }) => (ablates === undefined ? [] : [ablates, name]));
  const chosen = named.length === 0 ? ablations : named;
  const isProgram = (name: string): boolean => name.startsWith("exec:"); // not in the registry
  return [...new Set(chosen.map((name) => (isProgram(name) ? name : methods.get(name, "--method").name)))];
}

function sweepOf({ kind, sweep, points = [] }: RunConfig, models: readonly string[]): Sweep | undefined {
  if (kind === "controls") return { kind, axes: { "history.control": [...controls], ...sweep }, points };
  const hasPoints = sweep !== undefined || points.length > 0;
  if (kind === undefined && !hasPoints && models.length < 2) return undefined;
  const usualKind = hasPoints ? "grid" : "backbones";
  return { kind: kind ?? usualKind, axes: sweep ?? {}, points };
}

/** Options that `--demo` fixes, so that nothing needs a network. */
const DEMO: Given = {
  embedder: defaultEmbedder,
  "embedder.baseUrl": "",
  "embedder.similarity": "cosine",
  ...Object.fromEntries(modelRoles.map((role) => [modelOption(role), ""])),
  "wiki.mode": "replay",
  "wiki.fixture": "",
};

/** What a plan is made of. */
interface Profile {
  /** The settings of all layers. */
  readonly merged: Settings;
  readonly tasks: readonly string[];
  /** Values that override given options. */
  readonly fixed: Given;
  /** Remarks for the report. */
  readonly remarks: readonly string[];
}

const plainProfile = (merged: Settings, named: readonly Task[]): Profile => ({
  merged,
  tasks: named.map(({ name }) => name),
  fixed: {},
  remarks: [],
});

/** Returns the profile of `--demo`: the tasks with demo data. Throws UsageError if no task has any. */
function demoProfile({ model: _, data: __, baseUrl: ___, ...config }: Settings, named: readonly Task[]): Profile {
  const tasks = named.filter((task) => existsSync(demoFolder(task))).map(({ name }) => name);
  const missing = named.map(({ name }) => name).filter((name) => !tasks.includes(name));
  if (tasks.length === 0)
    throw new UsageError(`--demo: there is no demo data for ${missing.join(", ")}; name a folder with --data`);
  const { sweep } = config;
  const axes = Object.entries(sweep ?? {}).filter(([option]) => !(option in DEMO));
  return {
    merged: { ...config, sweep: sweep && Object.fromEntries(axes) },
    tasks,
    fixed: DEMO,
    remarks: [
      "demo profile: embedded model and encoder",
      ...(missing.length === 0 ? [] : [`no demo data, left out: ${missing.join(", ")}`]),
    ],
  };
}

function batchOf(batch: RunConfig["batch"] = false): Batch | undefined {
  if (batch === false) return undefined;
  const values = batch === true ? [] : namesIn(batch);
  const has = (value: keyof Batch): boolean => values.includes(value);
  return { agents: has("agents"), detach: has("detach"), resend: has("resend") };
}

/** Returns the shard that `3/8` names. */
function shardIn(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const [, number = "", of = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim()) ?? [];
  const parsed = { shard: Number(number), of: Number(of) };
  if (parsed.shard >= 1 && parsed.shard <= parsed.of) return parsed;
  throw new UsageError(`--shard ${text}: expected I/N with I from 1 to N, e.g. 3/8 for the third of eight`);
}

/** Returns the milliseconds of `90s`, `15m` or `1h`; the schema of settings allows no other form. */
function milliseconds(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return Number(duration.slice(0, -1)) * (units[duration.slice(-1)] ?? 0);
}

const namesOf = (names: string | readonly string[] | undefined): string[] => namesIn([names ?? []].flat().join());

/** Returns the settings of a request, with names in place of its own tasks, methods and metrics. */
function settingsOf(request: RunRequest): Settings {
  const { task, method, metric, options, ...rest } = request;
  const noSettings = ["argv", "onEvent", "signal", "kill", "plugins", ...ADDED];
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !noSettings.includes(key))),
    ...defined({ task: nameOf(task), method: nameOf(method), metric: nameOf(metric), set: options }),
  };
}

const ADDED = ["tasks", "methods", "metrics", "retrievers", "selectors", "judges", "embedders", "providers"] as const;

/** Returns the catalogue with the tasks, methods and other objects of a request. */
function withOwnThings(catalogue: Catalogue, request: RunRequest): Catalogue {
  const { task, method, metric, tasks = [], methods = [], metrics = [] } = request;
  const additions = {
    ...Object.fromEntries(ADDED.map((kind) => [kind, request[kind]])),
    tasks: [...tasks, ...objects(task)],
    methods: [...methods, ...objects(method)],
    metrics: [...metrics, ...objects(metric)],
  };
  const brings = Object.values(additions).some((things: readonly unknown[] = []) => things.length > 0);
  return brings ? extended(catalogue, additions, "this call") : catalogue;
}

/** Names of plug-ins, and the folder that their paths start from. */
export interface NamedPlugins {
  readonly names: readonly string[];
  readonly from: string;
}

/** Returns the plug-ins of a request and of its config file, with tasks in YAML. Paths in a config file start from its folder. */
export function pluginsOf({ plugins, config, task }: RunRequest, cwd: string): NamedPlugins[] {
  const taskFiles = namesOf(nameOf(task)).filter((name) => /\.ya?ml$/i.test(name));
  const own = { names: [...namesOf(plugins), ...taskFiles], from: cwd };
  if (config === undefined) return [own];
  const path = resolve(cwd, config);
  return [own, { names: configPlugins(path, config), from: dirname(path) }];
}

const objects = <T extends object>(given: OneOrMore<string | T> | undefined): T[] =>
  listOf(given).filter((one): one is T => typeof one !== "string");

const nameOf = (given: OneOrMore<string | { readonly name: string }> | undefined): string[] | undefined =>
  given === undefined ? undefined : listOf(given).map((one) => (typeof one === "string" ? one : one.name));

const listOf = <T>(given: OneOrMore<T> | undefined): T[] => (given === undefined ? [] : ([given].flat() as T[]));
