import { dirname, join, resolve } from "node:path";
import { catalogueOf, extended } from "../../catalogue.js";
import { UsageError } from "../../errors.js";
import { noModel } from "../../exec/options.js";
import { lockFolder, otherOut } from "../../run/lease.js";
import { readManifest, runName } from "../../run/manifest/manifest.js";
import { namesIn } from "../common/names.js";
import { gitState } from "../common/version.js";
import type { Io } from "../io.js";
import { type NamedPlugins, withPlugins } from "../plugins/plugins.js";
import { configPlugins } from "./config/config-file.js";
import { type RunSettings, runSettings } from "./config/run-settings.js";
import { countedTokens } from "./estimate/count-tokens.js";
import { estimate, type RunEstimate } from "./estimate/estimate.js";
import { runsText } from "./estimate/estimate-text.js";
import { type Guesses, sumOfGuesses } from "./estimate/guess.js";
import type { Emit, RunPlanned } from "./events.js";
import { executeRun } from "./execute.js";
import { refuseUnbatched } from "./models/batching.js";
import { askedPart, partEnding, refuseSharedCalls } from "./parts.js";
import { type Prepared, prepareRun } from "./prepare.js";
import type { Pilot } from "./ready-run.js";
import type { RunResult } from "./result.js";
import type { OneOrMore, RunRequest } from "./settings.js";
import { openStops, type Stops } from "./stops.js";

export { runFiles } from "../../run/run-rows.js";
export type { RunRequest } from "./settings.js";

/**
 * Runs methods on tasks, or resumes where the folder holds a part of the same run, and writes the tables. Throws UsageError
 * before the first call where something is wrong with the request; a run that begins ends as `ended` says.
 */
export async function run(request: RunRequest, io: Io): Promise<RunResult> {
  const stops = openStops(request);
  const pilot = askedPilot(request);
  const git = gitState(io.cwd, io.env); // while the data are read
  const { prepared, settings, emit } = await planned(request, stops, io, false);
  const { argv = [] } = request;
  const folder = folderOf(request, prepared, settings, io);
  const release = lockFolder(folder, { elseDo: otherOut, onLost: (error) => stops.stop.abort(error) });
  const settle = stops.drainWithin(settings.drainSeconds * 1000);
  try {
    return await executeRun({ prepared, settings, folder, argv, pilot, stops, emit, io, git: await git });
  } finally {
    settle();
    release();
  }
}

/** What the run would ask for, by arm and phase. Sends nothing and writes nothing. */
export async function estimateRun(request: RunRequest, io: Io): Promise<RunEstimate> {
  const { prepared, settings } = await planned(request, openStops(request), io, true);
  const { bytesPerToken: tokens, rates } = readManifest(folderOf(request, prepared, settings, io)) ?? {};
  const sources = { clock: io.clock, settings, tokens, rates };
  if (request.count !== true) return estimate(prepared, sources);
  const counted = await countedTokens(prepared, sources);
  const found = await estimate(prepared, { ...sources, tokens: counted.tokens });
  return { ...found, text: [found.text, ...counted.lines].join("\n") };
}

/** The same of several requests, each by itself, and their sum. */
export async function estimateRuns(
  requests: readonly RunRequest[],
  io: Io,
): Promise<{ readonly runs: readonly RunEstimate[]; readonly sum: Guesses; readonly text: string }> {
  const runs: RunEstimate[] = [];
  for (const request of requests) runs.push(await estimateRun(request, io));
  const sum = sumOfGuesses(runs.map(({ guesses }) => guesses));
  return {
    runs,
    sum,
    text: runsText(
      requests.map(({ config }, r) => ({ config, ...runs[r]! })),
      sum,
    ),
  };
}

/** Where the run stands, or will stand, absolute. */
function folderOf({ replay }: RunRequest, { plan, part }: Prepared, { out }: RunSettings, io: Io): string {
  const ending = replay === undefined ? partEnding(part) : "-replay";
  return resolve(io.cwd, out ?? join("results", `${runName(plan)}${ending}`));
}

interface Planned {
  readonly settings: RunSettings;
  readonly prepared: Prepared;
  readonly emit: Emit;
}

async function planned(request: RunRequest, stops: Stops, io: Io, dryRun: boolean): Promise<Planned> {
  const emit: Emit = request.onEvent ?? ((event) => (event.kind === "remark" ? io.tell(event.line) : undefined));
  const settings = settingsOf(request, await withPlugins(io, ...pluginsOf(request, io.cwd)));
  const recorded = settings.out === undefined ? undefined : readManifest(resolve(io.cwd, settings.out))?.plan.cells;
  const asked = {
    dryRun,
    counts: request.count === true,
    replay: request.replay,
    part: askedPart(request),
    recorded,
    stops,
  };
  const prepared = await prepareRun(settings, io, asked);
  refuseSharedCalls(prepared.part, prepared.arms);
  if (prepared.replay === undefined) refuseUnbatched(settings, prepared.models, prepared.arms);
  emit(plannedEvent(settings, prepared));
  for (const line of prepared.warnings) emit({ kind: "remark", line });
  return { settings, prepared, emit };
}

/** Throws UsageError on what goes with no pilot. */
function askedPilot({ pilot, yes = false, replay }: RunRequest): Pilot | undefined {
  if (pilot === undefined && yes) throw new UsageError("--yes goes with --pilot; leave it out");
  if (pilot === undefined) return undefined;
  if (replay !== undefined) throw new UsageError("--pilot and --replay: a replay costs nothing; leave one out");
  return { users: pilot, goOn: yes };
}

/** A config's plug-ins stand beside it, the request's own in the folder at hand. */
function pluginsOf({ plugins, config }: RunRequest, cwd: string): NamedPlugins[] {
  const ofRequest = { names: namesIn([plugins ?? []].flat().join()), from: cwd };
  if (config === undefined) return [ofRequest];
  const path = resolve(cwd, config);
  return [ofRequest, { names: configPlugins(path, config), from: dirname(path) }];
}

/** The request with all names in the catalogue that they are looked up in. */
function settingsOf(request: RunRequest, io: Io): RunSettings {
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

const objects = <T extends object>(given: OneOrMore<string | T> | undefined): T[] =>
  listOf(given).filter((one): one is T => typeof one !== "string");

const names = (given: OneOrMore<string | { readonly name: string }> | undefined): string[] | undefined =>
  given === undefined ? undefined : listOf(given).map((one) => (typeof one === "string" ? one : one.name));

const listOf = <T>(given: OneOrMore<T> | undefined): T[] => (given === undefined ? [] : ([given].flat() as T[]));

function plannedEvent({ tasks, data, models, sweep }: RunSettings, prepared: Prepared): RunPlanned {
  const programs = prepared.models.every((model) => model === noModel);
  const embedded = prepared.models.every(({ simulated }) => simulated);
  const answers = programs ? "programs" : embedded ? "embedded model" : "model";
  return { kind: "planned", tasks, data, models, answers, sweep: sweep?.kind };
}
