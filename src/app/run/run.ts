import { dirname, join, resolve } from "node:path";
import { type Additions, catalogueOf, extended } from "../../catalogue.js";
import { noModel } from "../../exec/no-model.js";
import { namesIn } from "../../registry.js";
import { lockFolder, runName } from "../../run/manifest.js";
import type { Method, OptionValue, Task } from "../../types.js";
import type { Io } from "../io.js";
import { type NamedPlugins, withPlugins } from "../plugins/plugins.js";
import { configPlugins } from "./config-file.js";
import { estimate, type RunEstimate } from "./estimate.js";
import type { Emit, RunEvent, RunPlanned } from "./events.js";
import { executeRun } from "./execute.js";
import { type Prepared, prepareRun } from "./prepare.js";
import type { RunResult } from "./result.js";
import { type RunConfig, type RunSettings, runSettings } from "./settings.js";
import { openStops, type StopSignals, type Stops } from "./stops.js";

export { runFiles } from "../../run/run-rows.js";

type OneOrMore<T> = T | readonly T[];

/**
 * What a run is asked to do: the keys of a config file, where own things may stand in place of names, and who is told.
 * Settings here win over those of `config`, these over those of `preset`.
 */
export interface RunRequest extends Omit<RunConfig, "task" | "method" | "set" | "extends">, Additions, StopSignals {
  readonly task?: OneOrMore<string | Task> | undefined;
  readonly method?: OneOrMore<string | Method> | undefined;
  /** Options by dotted name: `{ "rag.k": 2 }`. */
  readonly options?: Readonly<Record<string, OptionValue>> | undefined;
  /** A config file. */
  readonly config?: string | undefined;
  /** The knobs of a published table: `paper-000`. */
  readonly preset?: string | undefined;
  /** The folder or file of a recording, from which alone all is answered. */
  readonly replay?: string | undefined;
  /** What the person typed, kept in the manifest. */
  readonly argv?: readonly string[] | undefined;
  /** Absent: remarks go to `io.tell`, everything else to nobody. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/**
 * Runs methods on tasks, or resumes where the folder holds a part of the same run, and writes the tables. Throws UsageError
 * before the first call where something is wrong with the request; a run that begins ends as `ended` says.
 */
export async function run(request: RunRequest, io: Io): Promise<RunResult> {
  const stops = openStops(request);
  const { prepared, settings, emit } = await planned(request, stops, io, false);
  const name = `${runName(prepared.plan)}${request.replay === undefined ? "" : "-replay"}`;
  const folder = resolve(io.cwd, settings.out ?? join("results", name));
  const release = lockFolder(folder, { onLost: (error) => stops.stop.abort(error) });
  const settle = stops.drainWithin(settings.drainMs);
  try {
    return await executeRun({ prepared, settings, folder, argv: request.argv ?? [], stops, emit, io });
  } finally {
    settle();
    release();
  }
}

/** What the run would ask for, by arm and phase. Sends nothing and writes nothing. */
export async function estimateRun(request: RunRequest, io: Io): Promise<RunEstimate> {
  const { prepared } = await planned(request, openStops(request), io, true);
  return estimate(prepared, io.clock);
}

// --- internal ---

interface Planned {
  readonly settings: RunSettings;
  readonly prepared: Prepared;
  readonly emit: Emit;
}

async function planned(request: RunRequest, stops: Stops, io: Io, dryRun: boolean): Promise<Planned> {
  const emit: Emit = request.onEvent ?? ((event) => (event.kind === "remark" ? io.tell(event.line) : undefined));
  const settings = settingsOf(request, await withPlugins(io, ...pluginsOf(request, io.cwd)));
  const prepared = await prepareRun(settings, io, { dryRun, replay: request.replay, stops });
  emit(plannedEvent(settings, prepared));
  for (const line of prepared.warnings) emit({ kind: "remark", line });
  return { settings, prepared, emit };
}

/** A config's plug-ins stand beside it, the request's own in the folder at hand. */
function pluginsOf({ plugins, config }: RunRequest, cwd: string): NamedPlugins[] {
  const own = { names: namesIn([plugins ?? []].flat().join()), from: cwd };
  if (config === undefined) return [own];
  const path = resolve(cwd, config);
  return [own, { names: configPlugins(path, config), from: dirname(path) }];
}

/** The request with all names in the catalogue that they are looked up in. */
function settingsOf(request: RunRequest, io: Io): RunSettings {
  const { tasks = [], methods = [], retrievers, metrics, embedders, providers, ...rest } = request;
  const {
    task,
    method,
    options,
    config,
    preset,
    replay: _,
    argv: __,
    onEvent: ___,
    signal: ____,
    kill: _____,
    ...flags
  } = rest;
  const additions = {
    tasks: [...tasks, ...objects(task)],
    methods: [...methods, ...objects(method)],
    ...(retrievers === undefined ? {} : { retrievers }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(embedders === undefined ? {} : { embedders }),
    ...(providers === undefined ? {} : { providers }),
  };
  const brings = Object.values(additions).some((things) => things.length > 0);
  const known = catalogueOf(io);
  const catalogue = brings ? extended(known, additions, "this call") : known;
  const named = { ...flags, task: names(task), method: names(method), set: options };
  return runSettings(defined(named), { config, preset }, { cwd: io.cwd, catalogue });
}

const objects = <T extends object>(given: OneOrMore<string | T> | undefined): T[] =>
  listOf(given).filter((one): one is T => typeof one !== "string");

const names = (given: OneOrMore<string | { readonly name: string }> | undefined): string[] | undefined =>
  given === undefined ? undefined : listOf(given).map((one) => (typeof one === "string" ? one : one.name));

const listOf = <T>(given: OneOrMore<T> | undefined): T[] => (given === undefined ? [] : ([given].flat() as T[]));

/** Without the keys that have no value. */
const defined = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;

function plannedEvent({ tasks, data, models, sweep }: RunSettings, prepared: Prepared): RunPlanned {
  const programs = prepared.models.every((model) => model === noModel);
  const embedded = prepared.models.every(({ simulated }) => simulated);
  const answers = programs ? "programs" : embedded ? "embedded model" : "model";
  return { kind: "planned", tasks, data, models, answers, sweep: sweep?.kind };
}
