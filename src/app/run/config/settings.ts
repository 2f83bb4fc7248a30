import { resolve } from "node:path";
import { type Catalogue, catalogueOf, withMetrics } from "../../../catalogue.js";
import { UsageError } from "../../../errors.js";
import type { CacheSetting } from "../../../models/cache-marks.js";
import { checkEndpoints, type Endpoints } from "../../../models/endpoints.js";
import type { PriceRow } from "../../../models/price-row.js";
import type { OwnLimits } from "../../../models/rate/server-slots.js";
import type { UnsupportedPolicy } from "../../../models/wrap/adapted.js";
import { KNOB as CONTROL_KNOB, controls } from "../../../run/plan/controls.js";
import type { Sweep } from "../../../run/plan/sweep.js";
import type { OptionValue } from "../../../types.js";
import { namesIn } from "../../common/names.js";
import type { Io } from "../../io.js";
import { checked, type RunConfig, readConfig, readPreset, withPrices } from "./config-file.js";
import { type DemoProfile, demoProfile } from "./demo-profile.js";

export { cacheSettings } from "../../../models/cache-marks.js";
export { unsupportedPolicies } from "../../../models/wrap/adapted.js";
export { sweepKinds } from "../../../run/plan/sweep.js";
export type { RunConfig } from "./config-file.js";
export { demoModel } from "./demo-profile.js";

export interface RunSettings {
  /** What the person calls the experiment. Undefined: what the run folder says, if anything. */
  readonly name: string | undefined;
  /** What the names below stand for. */
  readonly catalogue: Catalogue;
  readonly tasks: readonly string[];
  readonly methods: readonly string[];
  /** Metrics that every task is scored by besides its own. */
  readonly metrics: readonly string[];
  /** Empty: the embedded one. */
  readonly models: readonly string[];
  readonly data: string | undefined;
  /** Whether the demo profile holds: no network, no key, no download. */
  readonly demo: boolean;
  readonly users: number | undefined;
  readonly limit: number | undefined;
  /** Options by dotted name, for all tasks. */
  readonly set: Readonly<Record<string, OptionValue>>;
  /** The options of one task, by its canonical name: those for all tasks under those for it, layer by layer. */
  readonly setFor: (task: string) => Readonly<Record<string, OptionValue>>;
  /** Names of those options that the person wrote, not a preset. */
  readonly written: readonly string[];
  /** What varies between arms. Undefined: methods and tasks only. */
  readonly sweep: Sweep | undefined;
  readonly repeats: number;
  readonly maxCalls: number | undefined;
  readonly maxUsd: number | undefined;
  /** A file with the caps that several runs share, as typed. */
  readonly purse: string | undefined;
  /** Prices of the person's own, which come before the list. */
  readonly prices: readonly PriceRow[];
  /** Share of failed questions above which the run ends as `failures`. */
  readonly maxFailed: number;
  /** The same of replies that could not be read. */
  readonly maxUnparsed: number;
  /** Undefined: calls go out one by one. `atWork`: questions in work at once. */
  readonly batch:
    | { readonly agents: boolean; readonly detach: boolean; readonly again: boolean; readonly atWork: number }
    | undefined;
  /** Most calls in flight at a server; undefined: by the kind of server. */
  readonly concurrency: number | undefined;
  /** Limits a minute that the person knows, of every endpoint that states none. */
  readonly limits: OwnLimits;
  /** How long a model whose servers refuse or fail every call is waited for; undefined: 15 minutes, and no time where no connection ever came. */
  readonly giveUpAfterMs: number | undefined;
  readonly deadlineMs: number | undefined;
  /** How long calls in flight are waited for once a person asks for the end. */
  readonly drainMs: number;
  readonly seed: number;
  readonly unsupported: UnsupportedPolicy;
  /** Whether prompts are marked for the provider's cache where that saves money. No result depends on it. */
  readonly cache: CacheSetting;
  readonly baseUrl: string | undefined;
  /** Servers by the names that models may have before their slash. */
  readonly endpoints: Endpoints;
  /** Variables that `exec:` programs get although their names say that they are secret. */
  readonly execEnv: readonly string[];
  readonly online: boolean;
  readonly out: string | undefined;
  readonly preset: string | undefined;
  /** What a reader of the table must know of these settings. */
  readonly remarks: readonly string[];
}

/** What holds where neither a flag nor a file says otherwise. */
export const runDefaults = {
  repeats: 1,
  maxFailed: 0,
  maxUnparsed: 0.5,
  drainSeconds: 30,
  seed: 0,
  unsupported: "error",
  cache: "auto",
  online: false,
  /** Questions in work at once where their calls wait for batches. */
  batchAtWork: 4000,
} as const satisfies RunConfig & { readonly batchAtWork: number };

/** Flags over config file over preset over defaults. Data flags become their dotted knobs. */
export function runSettings(
  flags: RunConfig,
  files: { config?: string | undefined; preset?: string | undefined },
  io: Pick<Io, "cwd" | "catalogue">,
): RunSettings {
  const catalogue = catalogueOf(io);
  const { tasks } = catalogue;
  const asFlags = checked(flags, (key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  const layers = [
    ...(files.preset === undefined ? [] : readPreset(files.preset, "--preset", tasks)),
    ...(files.config === undefined ? [] : readConfig(resolve(io.cwd, files.config), files.config, tasks)),
    withPrices(asFlags, io.cwd, "--prices"),
  ];
  refuseDemoWith(asFlags);
  refuseOtherKind(layers, asFlags.kind);
  return settingsOfLayers(layers, files.config === undefined ? 1 : 2, catalogue, files.preset);
}

/**
 * What layers come to, the later over the earlier; the last `written` of them the person wrote, the others are inherited from
 * presets. Throws UsageError where there is nothing to run.
 */
export function settingsOfLayers(
  layers: readonly RunConfig[],
  written: number,
  catalogue: Catalogue,
  preset?: string,
): RunSettings {
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
    name: merged.name,
    catalogue: withMetrics(catalogue, metrics),
    metrics: metrics.map(({ name }) => name),
    tasks: demo?.tasks ?? named,
    methods: methodNames(merged, methods),
    models,
    data: demo === undefined ? merged.data : undefined,
    demo: demo !== undefined,
    users: merged.users,
    limit: merged.limit,
    set: setFor(),
    setFor,
    written: Object.keys(optionsOf(layers.slice(-written))()),
    sweep: sweepOf(merged, models, demo),
    repeats: merged.repeats ?? runDefaults.repeats,
    maxCalls: merged.maxCalls,
    maxUsd: merged.maxUsd,
    purse: merged.purse,
    prices: typeof merged.prices === "object" ? merged.prices : [],
    maxFailed: merged.maxFailed ?? runDefaults.maxFailed,
    maxUnparsed: merged.maxUnparsed ?? runDefaults.maxUnparsed,
    concurrency: merged.concurrency,
    batch: batchSettings(merged),
    limits: limitsOf(merged),
    giveUpAfterMs: merged.giveUpAfter === undefined ? undefined : milliseconds(merged.giveUpAfter),
    deadlineMs: merged.deadlineSeconds === undefined ? undefined : merged.deadlineSeconds * 1000,
    drainMs: (merged.drainSeconds ?? runDefaults.drainSeconds) * 1000,
    seed: merged.seed ?? runDefaults.seed,
    unsupported: merged.unsupported ?? runDefaults.unsupported,
    cache: merged.cache ?? runDefaults.cache,
    baseUrl: demo === undefined ? merged.baseUrl : undefined,
    endpoints,
    execEnv: merged.execEnv ?? [],
    online: merged.online ?? runDefaults.online,
    out: merged.out,
    preset,
    remarks: demo?.remarks ?? [],
  };
}

/** Throws UsageError on flags of batches where there are none. */
function batchSettings({ batch, detach, batchAgain, concurrency }: RunConfig): RunSettings["batch"] {
  if (batch === true || batch === "agents")
    return {
      agents: batch === "agents",
      detach: detach === true,
      again: batchAgain === true,
      atWork: concurrency ?? runDefaults.batchAtWork,
    };
  const alone = Object.entries({ "--detach": detach, "--batch-again": batchAgain }).find(([, given]) => given === true);
  if (alone !== undefined) throw new UsageError(`${alone[0]} is about batches: add --batch, or leave it out`);
  return undefined;
}

/** The options of all layers, each with those for one task on top of its own. */
const optionsOf =
  (layers: readonly RunConfig[]) =>
  (task?: string): Record<string, OptionValue> =>
    Object.assign(
      {},
      ...layers.map((layer) => ({ ...knobsOf(layer), ...layer.set, ...(task && layer.perTask?.[task]) })),
    );

const limitsOf = ({ rpm, itpm, otpm }: RunConfig): OwnLimits => ({
  ...(rpm === undefined ? {} : { requests: rpm }),
  ...(itpm === undefined ? {} : { input: itpm }),
  ...(otpm === undefined ? {} : { output: otpm }),
});

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

const list = (names: string | readonly string[] | undefined): string[] => namesIn([names ?? []].flat().join());
