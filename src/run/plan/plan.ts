import { dirname, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { checkEndpoints, type Endpoints } from "../../models/endpoints.js";
import { refuseUnknown } from "../../registry/options.js";
import { namesIn } from "../../text/words.js";
import type { Metric, OptionValue } from "../../types/index.js";
import { type Catalogue, extended } from "../catalogue.js";
import { checked, configPlugins, readConfig, readPreset, withPrices } from "./config.js";
import { KNOB as CONTROL, controls } from "./controls.js";
import { type DemoProfile, demoProfile } from "./demo.js";
import { allOptions } from "./options.js";
import { shardIn } from "./part.js";
import {
  type AskedConfig,
  flagOf,
  type OneOrMore,
  type RunConfig,
  type RunRequest,
  requestSchema,
} from "./settings.js";
import type { Batch, Plan, Sweep } from "./types.js";

/** What is asked for on top of a config file on top of a preset. Throws UsageError naming the first thing that is wrong. */
export function layersOf(request: AskedConfig, { tasks }: Catalogue, cwd: string): Layers {
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  const asked = checked(given, requestSchema, flagOf);
  const { preset, config, kind, demo, model, data, baseUrl } = asked;
  const named = Object.entries({ "--model": model, "--data": data, "--base-url": baseUrl }).find(([, value]) => value);
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

/** Settings, the later over the earlier. */
interface Layers {
  /** Of presets. */
  readonly inherited: readonly RunConfig[];
  /** The person's own. */
  readonly written: readonly AskedConfig[];
}

/** Makes a plan of what is asked for. Reads and opens nothing. Throws UsageError on whatever can be refused by now. */
export function planOf({ inherited, written }: Layers, catalogue: Catalogue): Plan {
  const layers = [...inherited, ...written];
  const merged: AskedConfig = Object.assign({}, ...layers);
  const { tasks } = catalogue;
  const asked = [...new Set(namesOf(merged.task).map((name) => tasks.get(name, "--task").name))];
  if (asked.length === 0) throw new UsageError("no task; name one, e.g. --task lamp2m (lamp-eval list tasks)");
  const given = optionsOf(layers);
  const demo =
    merged.demo === true
      ? demoProfile(
          merged,
          asked.map((name) => tasks.get(name)),
          given(),
        )
      : undefined;
  const named = demo?.tasks ?? asked;
  const models = demo === undefined ? namesOf(merged.model) : [];
  const endpoints: Endpoints = Object.assign({}, ...layers.map((layer) => layer.endpoints));
  checkEndpoints(endpoints, catalogue.providers);
  const metrics = namesOf(merged.metric).flatMap((name) => addedMetric(name, named, catalogue));
  const { data, baseUrl, users, limit, concurrency, maxCalls, maxUsd, prices, giveUpAfter } = merged;
  const plan: Plan = {
    tasks: named,
    methods: methodNames(merged, catalogue.methods),
    models,
    metrics: metrics.map(({ name }) => name),
    set: { ...given(), ...demo?.set },
    perTask: Object.fromEntries(named.map((task) => [task, { ...given(task), ...demo?.set }])),
    written: Object.keys(optionsOf(written)()),
    ...defined({ sweep: sweepOf(merged, models, demo) }),
    seed: merged.seed ?? 0,
    repeats: merged.repeats ?? 1,
    online: merged.online ?? false,
    demo: demo !== undefined,
    ...(demo === undefined ? defined({ data, baseUrl }) : {}),
    ...defined({ users, limit, shard: shardIn(merged.shard), concurrency }),
    endpoints,
    prices: typeof prices === "object" ? prices : [],
    ...defined({ giveUpAfterMs: milliseconds(giveUpAfter), batch: batchOf(merged.batch), maxCalls, maxUsd }),
    maxFailed: merged.maxFailed ?? 0,
    remarks: demo?.remarks ?? [],
  };
  refuseTogether(merged);
  const known = Object.keys(allOptions(catalogue));
  refuseUnknown(Object.keys(plan.set), known, "--set");
  for (const [task, options] of Object.entries(plan.perTask))
    refuseUnknown(Object.keys(options), known, `perTask ${task}`);
  return plan;
}

/** The metric of a name; none where the chosen tasks are scored by it anyway. */
function addedMetric(name: string, chosen: readonly string[], { metrics, tasks }: Catalogue): Metric[] {
  const owners = tasks.all
    .filter((task) => task.metrics.some((metric) => metric.name === name))
    .map((task) => task.name);
  if (metrics.find(name) !== undefined || owners.length === 0) return [metrics.get(name, "--metric")];
  if (chosen.every((task) => owners.includes(task))) return [];
  throw new UsageError(`--metric ${name}: it scores only ${owners.join(", ")}, which have it already; leave it out`);
}

/** Throws UsageError on flags that do not go together. */
function refuseTogether({ workers, replay, batch, shard }: AskedConfig): void {
  if (shard !== undefined && replay !== undefined)
    throw new UsageError("--replay sends nothing, so there is nothing to split; leave --shard out");
  if (workers === undefined || workers === false) return;
  const [other] = Object.entries({ batch, replay, shard }).find(([, given]) => given !== undefined) ?? [];
  if (other !== undefined) throw new UsageError(`${flagOf(other)} and --workers do not go together; leave one out`);
}

/** The options of all layers, each with those for one task on top of its own. */
const optionsOf =
  (layers: readonly RunConfig[]) =>
  (task?: string): Record<string, OptionValue> =>
    Object.assign(
      {},
      ...layers.map(({ queriesPerUser, set, perTask }) => ({
        ...(queriesPerUser === undefined ? {} : { "data.maxQueriesPerUser": queriesPerUser }),
        ...set,
        ...(task && perTask?.[task]),
      })),
    );

/** The methods named; an ablation that names none is of every method that has ablations. */
function methodNames({ method, kind }: RunConfig, methods: Catalogue["methods"]): string[] {
  const named = namesOf(method);
  if (named.length === 0 && kind !== "ablation")
    throw new UsageError("no method; name one, e.g. --method rag (lamp-eval list methods)");
  const parts = methods.all.flatMap(({ name, ablates }) => (ablates === undefined ? [] : [ablates, name]));
  const chosen = named.length === 0 ? parts : named;
  return [...new Set(chosen.map((name) => (isProgram(name) ? name : methods.get(name, "--method").name)))];
}

/** `exec:COMMAND` is a method that no list holds. */
const isProgram = (name: string): boolean => name.startsWith("exec:");

function sweepOf(
  { kind, sweep, points = [] }: RunConfig,
  models: readonly string[],
  demo: DemoProfile | undefined,
): Sweep | undefined {
  const axes = demo?.axes ?? sweep ?? {};
  if (kind === "controls") return { kind, axes: { [CONTROL]: [...controls], ...axes }, points };
  const varies = sweep !== undefined || points.length > 0;
  if (kind === undefined && !varies && models.length < 2) return undefined;
  return { kind: kind ?? (varies ? "grid" : "backbones"), axes, points };
}

function batchOf(batch: RunConfig["batch"] = false): Batch | undefined {
  if (batch === false) return undefined;
  const values = batch === true ? [] : namesIn(batch);
  return {
    agents: values.includes("agents"),
    detach: values.includes("detach"),
    resend: values.includes("resend"),
  };
}

/** Of `90s`, `15m`, `1h`; the config's schema lets nothing else through. */
function milliseconds(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return Number(duration.slice(0, -1)) * (units[duration.slice(-1)] ?? 0);
}

/** Without the members that have no value. */
const defined = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as never;

const namesOf = (names: string | readonly string[] | undefined): string[] => namesIn([names ?? []].flat().join());

/** What a request names, things of its own by their names. */
export function askedOf(request: RunRequest): AskedConfig {
  const { task, method, metric, options, ...rest } = request;
  const beside = ["argv", "onEvent", "signal", "kill", "plugins", ...ADDED];
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !beside.includes(key))),
    ...defined({ task: nameOf(task), method: nameOf(method), metric: nameOf(metric), set: options }),
  };
}

const ADDED = ["tasks", "methods", "metrics", "retrievers", "selectors", "judges", "embedders", "providers"] as const;

/** The catalogue with the things of a request's own. */
export function withOwnThings(catalogue: Catalogue, request: RunRequest): Catalogue {
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

/** The plug-ins of a request, tasks in YAML among them: a config's stand beside it, the request's own in the folder at hand. */
export function pluginsOf({ plugins, config, task }: RunRequest, cwd: string): NamedPlugins[] {
  const own = { names: [...namesOf(plugins), ...namesOf(nameOf(task)).filter(isTaskFile)], from: cwd };
  if (config === undefined) return [own];
  const path = resolve(cwd, config);
  return [own, { names: configPlugins(path, config), from: dirname(path) }];
}

const isTaskFile = (name: string): boolean => /\.ya?ml$/i.test(name);

const objects = <T extends object>(given: OneOrMore<string | T> | undefined): T[] =>
  listOf(given).filter((one): one is T => typeof one !== "string");

const nameOf = (given: OneOrMore<string | { readonly name: string }> | undefined): string[] | undefined =>
  given === undefined ? undefined : listOf(given).map((one) => (typeof one === "string" ? one : one.name));

const listOf = <T>(given: OneOrMore<T> | undefined): T[] => (given === undefined ? [] : ([given].flat() as T[]));
