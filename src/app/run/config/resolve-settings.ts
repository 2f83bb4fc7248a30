import { dirname, resolve } from "node:path";
import { UsageError } from "../../../errors.js";
import type { CacheSetting } from "../../../models/cache-marks.js";
import { checkEndpoints, type Endpoints } from "../../../models/endpoints.js";
import { complete, readOptions } from "../../../registry/options.js";
import { type Catalogue, catalogueOf, extended, withMetrics } from "../../../run/catalogue.js";
import type { Io } from "../../../run/io.js";
import type { OwnLimits } from "../../../run/outside/limit.js";
import { KNOB as CONTROL_KNOB, controls } from "../../../run/plan/controls.js";
import { serverOptions } from "../../../run/plan/server-options.js";
import type { Sweep } from "../../../run/plan/sweep.js";
import { namesIn } from "../../../text/names.js";
import type { OptionValue, PriceRow } from "../../../types/index.js";
import { ownTaskFiles } from "../../plugins/own-task.js";
import { type NamedPlugins, withPlugins } from "../../plugins/plugins.js";
import {
  type AskedConfig,
  flagOf,
  type OneOrMore,
  type RunConfig,
  type RunRequest,
  requestSchema,
  type SettledConfig,
  settled,
} from "../settings.js";
import { checked, configPlugins, readConfig, readPreset, withPrices } from "./config-file.js";
import { type DemoProfile, demoProfile } from "./demo-profile.js";

/** Keys of a config that stand in another form below. */
type Resolved = "task" | "method" | "model" | "metric" | "kind" | "points" | "giveUpAfter";

/** The settings of a run, layer over layer, with every name looked up. */
export interface RunSettings
  extends Omit<SettledConfig, Resolved | "set" | "sweep" | "prices" | "batch" | "demo" | "endpoints"> {
  /** What the names below stand for. */
  readonly catalogue: Catalogue;
  readonly tasks: readonly string[];
  readonly methods: readonly string[];
  /** Metrics that every task is scored by besides its own. */
  readonly metrics: readonly string[];
  /** Empty: the embedded one. */
  readonly models: readonly string[];
  /** Whether the demo profile holds: no network, no key, no download. */
  readonly demo: boolean;
  /** Options by dotted name, for all tasks. */
  readonly set: Readonly<Record<string, OptionValue>>;
  /** The options of one task, by its canonical name: those for all tasks under those for it, layer by layer. */
  readonly setFor: (task: string) => Readonly<Record<string, OptionValue>>;
  /** Names of those options that the person wrote, not a preset. */
  readonly written: readonly string[];
  /** What varies between arms. Undefined: methods and tasks only. */
  readonly sweep: Sweep | undefined;
  /** Prices of the person's own, which come before the list. */
  readonly prices: readonly PriceRow[];
  /** Undefined: calls go out one by one. `atWork`: questions in work at once. */
  readonly batch:
    | { readonly agents: boolean; readonly detach: boolean; readonly again: boolean; readonly atWork: number }
    | undefined;
  /** Limits a minute that the person knows, of every endpoint that states none. */
  readonly limits: OwnLimits;
  readonly giveUpAfterMs: number | undefined;
  /** Timeout of one try; undefined: by the model. */
  readonly deadlineSeconds: number | undefined;
  /** How long calls in flight may finish after a stop. */
  readonly drainSeconds: number;
  readonly cache: CacheSetting;
  /** Variables that `exec:` programs get although they may hold secrets. */
  readonly execEnv: readonly string[];
  readonly endpoints: Endpoints;
  readonly preset?: string | undefined;
  /** What a reader of the table must know of these settings. */
  readonly remarks: readonly string[];
  /** What all of this was made of, the later over the earlier. */
  readonly layers: readonly RunConfig[];
}

/** Questions in work at once where their calls wait for batches. */
const AT_WORK_IN_BATCHES = 4000;

/** The settings of a request, its own things and those of its plug-ins in the catalogue. */
export async function settingsOfRequest(request: RunRequest, given: Io): Promise<RunSettings> {
  const io = await withPlugins(given, ...pluginsOf(request, given.cwd));
  const { task, method, metric, tasks = [], methods = [], metrics = [], options } = request;
  const { retrievers, selectors, judges, embedders, providers } = request;
  const additions = {
    tasks: [...tasks, ...objects(task)],
    methods: [...methods, ...objects(method)],
    metrics: [...metrics, ...objects(metric)],
    ...{ retrievers, selectors, judges, embedders, providers },
  };
  const brings = Object.values(additions).some((things = []) => things.length > 0);
  const known = catalogueOf(io);
  const catalogue = brings ? extended(known, additions, "this call") : known;
  const beside = [...Object.keys(additions), "options", "argv", "onEvent", "signal", "kill"];
  const asked = {
    ...Object.fromEntries(Object.entries(request).filter(([key]) => !beside.includes(key))),
    task: names(task),
    method: names(method),
    metric: names(metric),
    set: options,
  };
  return runSettings(asked, { cwd: io.cwd, catalogue });
}

/** What is asked for over a config file over a preset over defaults. Data flags become their dotted options. */
export function runSettings(request: AskedConfig, io: Pick<Io, "cwd" | "catalogue">): RunSettings {
  const catalogue = catalogueOf(io);
  const { tasks } = catalogue;
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  const asked = checked(given, requestSchema, flagOf);
  const { preset, config } = asked;
  const layers = [
    ...(preset === undefined ? [] : readPreset(preset, "--preset", tasks)),
    ...(config === undefined ? [] : readConfig(resolve(io.cwd, config), config, tasks)),
    withPrices(asked, io.cwd, "--prices"),
  ];
  refuseDemoWith(asked);
  refuseOtherKind(layers, asked.kind);
  return { ...settingsOfLayers(layers, config === undefined ? 1 : 2, catalogue), preset };
}

/**
 * What layers come to, the later over the earlier; the last `written` of them the person wrote, the others are inherited from
 * presets. Throws UsageError where there is nothing to run.
 */
export function settingsOfLayers(layers: readonly RunConfig[], written: number, catalogue: Catalogue): RunSettings {
  const { tasks, methods } = catalogue;
  const merged: RunConfig = Object.assign({}, ...layers);
  const given = optionsOf(layers);
  const named = [...new Set(list(merged.task).map((name) => tasks.get(name, "--task").name))];
  if (named.length === 0) throw new UsageError("no task; name one, e.g. --task lamp2m (lamp-eval list tasks)");
  const demo =
    merged.demo === true
      ? demoProfile(
          merged,
          named.map((name) => tasks.get(name)),
          given(),
        )
      : undefined;
  const setFor = (task?: string): Record<string, OptionValue> => ({ ...given(task), ...demo?.set });
  const models = demo === undefined ? list(merged.model) : [];
  const endpoints: Endpoints = Object.assign({}, ...layers.map((layer) => layer.endpoints));
  checkEndpoints(endpoints, catalogue.providers);
  const metrics = list(merged.metric).map((name) => catalogue.metrics.get(name, "--metric"));
  return {
    ...settled(merged),
    catalogue: withMetrics(catalogue, metrics),
    metrics: metrics.map(({ name }) => name),
    tasks: demo?.tasks ?? named,
    methods: methodNames(merged, methods),
    models,
    demo: demo !== undefined,
    ...(demo === undefined ? {} : { data: undefined, baseUrl: undefined }),
    set: setFor(),
    setFor,
    written: Object.keys(optionsOf(layers.slice(-written))()),
    sweep: sweepOf(merged, models, demo),
    prices: typeof merged.prices === "object" ? merged.prices : [],
    batch: batchSettings(merged),
    ...serverSettings(setFor()),
    giveUpAfterMs: merged.giveUpAfter === undefined ? undefined : milliseconds(merged.giveUpAfter),
    endpoints,
    remarks: demo?.remarks ?? [],
    layers: layers.map((layer) => withTaskNames(layer, tasks)),
  };
}

/** A task in YAML by its name: its file may be gone, or stand elsewhere, where the log is read again. */
function withTaskNames(layer: RunConfig, tasks: Catalogue["tasks"]): RunConfig {
  if (layer.task === undefined) return layer;
  return { ...layer, task: list(layer.task).map((name) => tasks.find(name)?.name ?? name) };
}

function batchSettings({ batch = false, concurrency }: RunConfig): RunSettings["batch"] {
  if (batch === false) return undefined;
  const values = batch === true ? [] : namesIn(batch);
  return {
    agents: values.includes("agents"),
    detach: values.includes("detach"),
    again: values.includes("resend"),
    atWork: concurrency ?? AT_WORK_IN_BATCHES,
  };
}

/** The options of all layers, each with those for one task on top of its own. */
const optionsOf =
  (layers: readonly RunConfig[]) =>
  (task?: string): Record<string, OptionValue> =>
    Object.assign(
      {},
      ...layers.map((layer) => ({ ...knobsOf(layer), ...layer.set, ...(task && layer.perTask?.[task]) })),
    );

/** What the options of servers come to. */
function serverSettings(given: Readonly<Record<string, OptionValue>>) {
  const options = readOptions(serverOptions, complete(serverOptions, given));
  const [requests, input, output] = [options["server.rpm"], options["server.itpm"], options["server.otpm"]];
  return {
    limits: {
      ...(requests === 0 ? {} : { requests }),
      ...(input === 0 ? {} : { input }),
      ...(output === 0 ? {} : { output }),
    },
    deadlineSeconds: options["server.deadlineSeconds"] || undefined,
    drainSeconds: options["server.drainSeconds"],
    cache: options["server.cache"],
    execEnv: namesIn(options["exec.env"]),
  };
}

/** Of `90s`, `15m`, `1h`; the config's schema lets nothing else through. */
function milliseconds(duration: string): number {
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return Number(duration.slice(0, -1)) * (units[duration.slice(-1)] ?? 0);
}

/** The methods named; an ablation that names none is of every method that has ablations. */
function methodNames({ method, kind }: RunConfig, methods: Catalogue["methods"]): string[] {
  const named = list(method);
  if (named.length > 0) return named;
  if (kind !== "ablation") throw new UsageError("no method; name one, e.g. --method rag (lamp-eval list methods)");
  const parts = methods.all.flatMap(({ name, ablates }) => (ablates === undefined ? [] : [ablates, name]));
  return [...new Set(parts)];
}

function sweepOf(
  { kind, sweep, points = [] }: RunConfig,
  models: readonly string[],
  demo: DemoProfile | undefined,
): Sweep | undefined {
  if (kind === "controls")
    return { kind, axes: { [CONTROL_KNOB]: [...controls], ...(demo?.axes ?? sweep ?? {}) }, points };
  const varies = sweep !== undefined || points.length > 0;
  if (kind === undefined && !varies && models.length < 2) return undefined;
  return { kind: kind ?? (varies ? "grid" : "backbones"), axes: demo?.axes ?? sweep ?? {}, points };
}

/** Throws UsageError on flags that name what the demo profile brings. */
function refuseDemoWith({ demo, model, data, baseUrl }: RunConfig): void {
  const named = Object.entries({ "--model": model, "--data": data, "--base-url": baseUrl }).find(([, value]) => value);
  if (demo === true && named !== undefined)
    throw new UsageError(`--demo brings its own model and data; leave ${named[0]} or --demo out`);
}

/** Throws UsageError where the command asks for another kind of sweep than the config states. */
function refuseOtherKind(layers: readonly RunConfig[], kind: RunConfig["kind"]): void {
  const otherKind = layers.findLast((layer) => layer.kind !== undefined && layer.kind !== kind)?.kind;
  if (kind !== undefined && otherKind !== undefined)
    throw new UsageError(
      `sweep ${kind}: the config is of kind ${otherKind}; use lamp-eval sweep ${otherKind}, or lamp-eval run`,
    );
}

/** Flags that are short forms of dotted knobs. */
const knobs = {
  queriesPerUser: "data.maxQueriesPerUser",
} as const satisfies Partial<Record<keyof RunConfig, string>>;

function knobsOf(layer: RunConfig): Record<string, OptionValue> {
  const given: Record<string, OptionValue> = {};
  for (const [flag, knob] of Object.entries(knobs)) {
    const value = layer[flag as keyof typeof knobs];
    if (value !== undefined) given[knob] = value;
  }
  return given;
}

const list = (names: string | readonly string[] | undefined): string[] => namesIn([names ?? []].flat().join());

/** A config's plug-ins stand beside it, the request's own in the folder at hand. */
function pluginsOf({ plugins, config, task }: RunRequest, cwd: string): NamedPlugins[] {
  const ofRequest = {
    names: [...namesIn([plugins ?? []].flat().join()), ...ownTaskFiles(names(task) ?? [])],
    from: cwd,
  };
  if (config === undefined) return [ofRequest];
  const path = resolve(cwd, config);
  return [ofRequest, { names: configPlugins(path, config), from: dirname(path) }];
}

const objects = <T extends object>(given: OneOrMore<string | T> | undefined): T[] =>
  listOf(given).filter((one): one is T => typeof one !== "string");

const names = (given: OneOrMore<string | { readonly name: string }> | undefined): string[] | undefined =>
  given === undefined ? undefined : listOf(given).map((one) => (typeof one === "string" ? one : one.name));

const listOf = <T>(given: OneOrMore<T> | undefined): T[] => (given === undefined ? [] : ([given].flat() as T[]));
