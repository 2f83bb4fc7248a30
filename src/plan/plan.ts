import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
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
import {
  type AskedConfig,
  flagOf,
  type OneOrMore,
  type RunConfig,
  type RunRequest,
  requestSchema,
} from "./settings.js";
import type { Batch, Given, Plan, Shard, Sweep } from "./types.js";

/** A request with all that its names stand for. */
export interface Planned {
  readonly plan: Plan;
  /** Texts of the files that options name, by their names in the plan. */
  readonly files: ReadonlyMap<string, string>;
  /** With the things of the request's own. */
  readonly catalogue: Catalogue;
}

/**
 * Resolves a request: its flags on top of a config file on top of a preset. `known`: what the request may name, its plug-ins included.
 * Opens nothing. Throws UsageError naming the first thing that is wrong.
 */
export function planRequest(request: RunRequest, known: Catalogue, cwd: string): Planned {
  const catalogue = withOwnThings(known, request);
  const plan = planOf(layersOf(askedOf(request), catalogue, cwd), catalogue);
  return { ...withInputFiles(plan, catalogue, cwd), catalogue };
}

/** Settings, the later over the earlier. */
interface Layers {
  /** Of presets. */
  readonly inherited: readonly RunConfig[];
  /** The person's own. */
  readonly written: readonly AskedConfig[];
}

/** Reads what is asked for on top of a config file on top of a preset. Throws UsageError naming the first thing that is wrong. */
function layersOf(request: AskedConfig, { tasks }: Catalogue, cwd: string): Layers {
  const asked = checked(defined(request), requestSchema, flagOf);
  const { preset, config, kind, demo, model, data, baseUrl } = asked;
  const [named] = Object.entries(defined({ "--model": model, "--data": data, "--base-url": baseUrl }));
  if (demo === true && named !== undefined)
    throw new UsageError(`--demo brings its own model and data; leave ${named[0]} or --demo out`);
  const presets = preset === undefined ? [] : readPreset(preset, "--preset", tasks);
  const configs = config === undefined ? [] : readConfig(resolve(cwd, config), config, tasks);
  const otherKind = [...presets, ...configs].findLast((layer) => layer.kind !== undefined && layer.kind !== kind)?.kind;
  if (kind !== undefined && otherKind !== undefined)
    throw new UsageError(
      `sweep ${kind}: the config is of kind ${otherKind}; use lamp-eval sweep ${otherKind}, or lamp-eval run`,
    );
  const inherited = [...presets, ...configs.slice(0, -1)];
  return { inherited, written: [...configs.slice(-1), withPrices(asked, cwd, "--prices")] };
}

/** Makes a plan of what is asked for; its options name files as the person did. Throws UsageError on whatever can be refused by now. */
function planOf({ inherited, written }: Layers, catalogue: Catalogue): Plan {
  const layers = [...inherited, ...written];
  const all: AskedConfig = Object.assign({}, ...layers);
  const asked = [...new Set(namesOf(all.task).map((name) => catalogue.tasks.get(name, "--task")))];
  if (asked.length === 0) throw new UsageError("no task; name one, e.g. --task lamp2m (lamp-eval list tasks)");
  const named = asked.map(({ name }) => name);
  const profile = all.demo === true ? demoProfile(all, asked) : { merged: all, tasks: named, fixed: {}, remarks: [] };
  const { merged, tasks, fixed, remarks }: Profile = profile;
  const models = namesOf(merged.model);
  const endpoints: Endpoints = Object.assign({}, ...layers.map((layer) => layer.endpoints));
  checkEndpoints(endpoints, catalogue.providers);
  const { data, baseUrl, users, limit, concurrency, maxCalls, maxUsd, prices } = merged;
  const setFor = (task?: string): Given => {
    const given = optionsOf(layers, task);
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, fixed[name] ?? value]));
  };
  const plan: Plan = {
    tasks: tasks.map((name) => ({ name, options: setFor(name) })),
    methods: methodNames(merged, catalogue.methods),
    models,
    metrics: namesOf(merged.metric).flatMap((name) => addedMetric(name, tasks, catalogue)),
    options: setFor(),
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

/** The options of all layers, each with those for one task on top of its own. */
const optionsOf = (layers: readonly RunConfig[], task = ""): Given =>
  Object.assign(
    {},
    ...layers.map(({ queriesPerUser, set, perTask }) => ({
      ...(queriesPerUser === undefined ? {} : { "data.maxQueriesPerUser": queriesPerUser }),
      ...set,
      ...perTask?.[task],
    })),
  );

/** Returns the metric of a name; none where it is of the chosen tasks' own. */
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

/** Throws UsageError on flags that do not go together. */
function refuseTogether({ workers, replay, batch, shard }: AskedConfig): void {
  if (shard !== undefined && replay !== undefined)
    throw new UsageError("--replay sends nothing, so there is nothing to split; leave --shard out");
  const [other] = Object.keys(defined({ batch, replay, shard }));
  if (other !== undefined && workers !== undefined && workers !== false)
    throw new UsageError(`${flagOf(other)} and --workers do not go together; leave one out`);
}

/** Returns the methods named; an ablation that names none takes all methods with ablations. */
function methodNames({ method, kind }: RunConfig, methods: Catalogue["methods"]): string[] {
  const named = namesOf(method);
  if (named.length === 0 && kind !== "ablation")
    throw new UsageError("no method; name one, e.g. --method rag (lamp-eval list methods)");
  const parts = methods.all.flatMap(({ name, ablates }) => (ablates === undefined ? [] : [ablates, name]));
  const chosen = named.length === 0 ? parts : named;
  const isProgram = (name: string): boolean => name.startsWith("exec:"); // no list holds it
  return [...new Set(chosen.map((name) => (isProgram(name) ? name : methods.get(name, "--method").name)))];
}

function sweepOf({ kind, sweep, points = [] }: RunConfig, models: readonly string[]): Sweep | undefined {
  if (kind === "controls") return { kind, axes: { "history.control": [...controls], ...sweep }, points };
  const varies = sweep !== undefined || points.length > 0;
  if (kind === undefined && !varies && models.length < 2) return undefined;
  return { kind: kind ?? (varies ? "grid" : "backbones"), axes: sweep ?? {}, points };
}

/** What `--demo` puts in place of whatever a config names: nothing is downloaded, nothing is asked over a network. */
const DEMO: Given = {
  embedder: defaultEmbedder,
  "embedder.baseUrl": "",
  "embedder.similarity": "cosine",
  ...Object.fromEntries(modelRoles.map((role) => [modelOption(role), ""])),
  "wiki.mode": "replay",
  "wiki.fixture": "",
};

interface Profile {
  readonly merged: AskedConfig;
  /** Tasks with demo data. */
  readonly tasks: readonly string[];
  /** Values that win over given ones. */
  readonly fixed: Given;
  /** For the table. */
  readonly remarks: readonly string[];
}

/** Returns what the demo profile makes of a config. Throws UsageError where no task has demo data. */
function demoProfile({ model: _, data: __, baseUrl: ___, ...config }: AskedConfig, asked: readonly Task[]): Profile {
  const tasks = asked.filter((task) => existsSync(demoFolder(task))).map(({ name }) => name);
  const missing = asked.map(({ name }) => name).filter((name) => !tasks.includes(name));
  if (tasks.length === 0)
    throw new UsageError(`--demo: there is no demo data for ${missing.join(", ")}; name a folder with --data`);
  const { sweep } = config;
  const axes = Object.entries(sweep ?? {}).filter(([option]) => !(option in DEMO));
  return {
    merged: { ...config, ...(sweep && { sweep: Object.fromEntries(axes) }) },
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
  const [agents, detach, resend] = ["agents", "detach", "resend"].map((value) => values.includes(value));
  return { agents: agents === true, detach: detach === true, resend: resend === true };
}

/** Returns the shard that `3/8` names. */
function shardIn(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const [, number = "", of = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim()) ?? [];
  const read = { shard: Number(number), of: Number(of) };
  if (read.shard >= 1 && read.shard <= read.of) return read;
  throw new UsageError(`--shard ${text}: expected I/N with I from 1 to N, e.g. 3/8 for the third of eight`);
}

/** Of `90s`, `15m`, `1h`; the config's schema lets nothing else through. */
function milliseconds(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return Number(duration.slice(0, -1)) * (units[duration.slice(-1)] ?? 0);
}

const namesOf = (names: string | readonly string[] | undefined): string[] => namesIn([names ?? []].flat().join());

/** Returns what a request names, things of its own by their names. */
function askedOf(request: RunRequest): AskedConfig {
  const { task, method, metric, options, ...rest } = request;
  const beside = ["argv", "onEvent", "signal", "kill", "plugins", ...ADDED];
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !beside.includes(key))),
    ...defined({ task: nameOf(task), method: nameOf(method), metric: nameOf(metric), set: options }),
  };
}

const ADDED = ["tasks", "methods", "metrics", "retrievers", "selectors", "judges", "embedders", "providers"] as const;

/** Returns the catalogue with the things of a request's own. */
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

/** Plug-ins as somebody named them: paths start from `from`. */
export interface NamedPlugins {
  readonly names: readonly string[];
  readonly from: string;
}

/** Returns the plug-ins of a request, tasks in YAML among them: a config's stand beside it, the request's own in the folder at hand. */
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
