import { join, resolve } from "node:path";
import { plannedEndpoints, variablesOf } from "../models/endpoints.js";
import { pricesAt } from "../models/prices.js";
import { shortSecrets, withoutUrlSecrets } from "../net/secrets.js";
import { replaying } from "../outside/answers.js";
import { openStops, type Stops } from "../outside/stops.js";
import {
  planArms,
  refuseArms,
  refuseMetrics,
  refuseUnbatched,
  undefinedControls,
  unusedOptions,
} from "../plan/arms.js";
import { type Catalogue, changedPlugins, withMetrics } from "../plan/catalogue.js";
import { type Emit, type Io, type Notice, noticeText, type OpenedPrograms, type RunPlanned } from "../plan/io.js";
import { serverSettings } from "../plan/options.js";
import type { RunRequest } from "../plan/settings.js";
import { sweepFacts, sweepPoints } from "../plan/sweep.js";
import type { Arm, LoadedTask, Plan } from "../plan/types.js";
import { type Identity, type Manifest, runName } from "../record/manifest.js";
import { type ReusedRun, replayedRun, reusedRun, skippedModels } from "../record/reused.js";
import type { ReadingIo, StoredRun } from "../record/stored-run.js";
import { checkSelectorFile } from "../selectors/select-option.js";
import { defined } from "../text/json.js";
import type { Method, Model, SweepFacts } from "../types/index.js";
import { dataIdentity, dataWarnings, inShard, loadTask } from "./data.js";
import { type Embedders, modelAccess, openEmbedders, openModels, refuseSweptApi, sourceOfAnswers } from "./models.js";
import { openRunTools, type RunTools } from "./tools.js";

/** A plan with all that it names, opened and read, before the first call. */
export interface World {
  readonly plan: Plan;
  /** Decides the rows. */
  readonly identity: Identity;
  /** With the metrics of `--metric` in every task. */
  readonly catalogue: Catalogue;
  readonly arms: readonly Arm[];
  /** Arms that are left out because their method does not apply to their task. */
  readonly unfitArms: readonly Arm[];
  /** The tasks with all their users, also in a shard. */
  readonly loaded: readonly LoadedTask[];
  /** The models that answer, then those of other roles; without limits and log. */
  readonly models: readonly Model[];
  /** API, server and endpoint of each model, by its id. */
  readonly modelAccess: NonNullable<Manifest["models"]>;
  readonly embedders: Embedders;
  readonly tools: RunTools;
  /** The programs of `exec:` methods. */
  readonly programs: OpenedPrograms;
  /** Absent if the arms differ in task and method alone. */
  readonly sweep: SweepFacts | undefined;
  /** The runs whose answers are taken (`--reuse`), or the replayed one. */
  readonly reused: readonly ReusedRun[];
  /** The run that is replayed: nothing is sent. Undefined in a run that makes calls. */
  readonly replay: ReusedRun | undefined;
  /** For a judge's run: the judged run, and how it is judged. */
  readonly judged: Manifest["judged"];
  /** Address of the workers' database; true: the one of the environment. Undefined: this process makes the calls. */
  readonly workers: string | true | undefined;
  /** Texts of the files that options name, by their names in the plan. */
  readonly files: ReadonlyMap<string, string>;
  /** The run folder, absolute. */
  readonly folder: string;
  /** The command line. */
  readonly argv: readonly string[] | undefined;
  readonly stops: Stops;
  readonly emit: Emit;
  /** All notices emitted so far. */
  readonly notices: readonly Notice[];
  readonly io: Io;
}

/** All that a plan is opened with. */
export interface WorldInputs {
  readonly catalogue: Catalogue;
  readonly io: ReadingIo;
  /** Folder, reused runs, workers, signals and listener of the run. Absent: the usual folder, and none of the others. */
  readonly request?: Pick<RunRequest, "out" | "replay" | "reuse" | "workers" | "argv" | "onEvent" | "signal" | "kill">;
  /** True if no call will be made. */
  readonly dryRun?: boolean;
  /** The run that is verified: its log answers all calls. */
  readonly recorded?: StoredRun;
  /** Texts of the files that options name, by their names in the plan. */
  readonly files: ReadonlyMap<string, string>;
  /** The questions of a judge, in place of data from files. */
  readonly judging?: Judging;
}

/** The questions of a judge's run. */
export interface Judging {
  readonly judged: NonNullable<Manifest["judged"]>;
  readonly loaded: Omit<LoadedTask, "given">;
}

/** Reads the data of a plan and opens its models, embedders, tools and programs. Throws UsageError on any mistake. Makes no call. */
export async function openWorld(plan: Plan, inputs: WorldInputs): Promise<World> {
  const { request = {}, dryRun = false, files, judging } = inputs;
  const stops = openStops(request);
  const { emit, notices } = openNotices(inputs);
  const io: ReadingIo = { ...inputs.io, tell: (text) => emit({ kind: "notice", level: "note", text }) };
  const metrics = plan.metrics.map((name) => inputs.catalogue.metrics.get(name, "--metric"));
  const catalogue = withMetrics(inputs.catalogue, metrics);
  const replay = openReplay(inputs);
  for (const line of changedPlugins(replay?.manifest.plugins, catalogue)) io.tell(`${replay?.name}: ${line}`);
  const programs = openPrograms(plan, io, { dryRun, stops, recorded: replay?.manifest });
  const named = plan.methods.map((name) => programs.method(name) ?? catalogue.methods.get(name, "--method"));
  const methods = [...new Set(named)];
  const points = sweepPoints(plan.sweep);
  const armOptions = plan.tasks.flatMap(({ options }) => points.map((point) => ({ ...options, ...point })));
  refuseSweptApi(armOptions, plan);
  const workers = request.workers === false ? undefined : request.workers;
  const resumed = request.out === undefined ? undefined : io.runs.find(request.out)?.manifest;
  const { answering, further } = await openModels(plan, {
    methods,
    armOptions,
    sendsNothing: dryRun || replay !== undefined || workers !== undefined,
    recorded: (replay?.manifest ?? resumed)?.identity.arms,
    catalogue,
    io,
  });
  const models = [...answering, ...further];
  const access = modelAccess(models, plan);
  const recorded = replay?.manifest.embedders;
  const embedders = await openEmbedders(armOptions, { families: catalogue.embedders, recorded, dryRun }, io);
  const loaded = await loadTasks(plan, catalogue, inputs);
  for (const data of loaded) refuseMetrics(metrics, data);
  const sweep = openSweep(plan, loaded, { methods, models: answering.map(({ id }) => id) });
  const inRun = loaded.map((data) => inShard(data, plan.shard));
  const { arms, unfit, notApplied } = planArms(plan, { loaded: inRun, methods, models: answering });
  refuseArms(arms, plan);
  if (replay === undefined) refuseUnbatched(plan, models, arms);
  const tools = openRunTools(plan, arms, { io, replay });
  const identity: Identity = {
    ...identityOf(arms, loaded, plan),
    ...defined({ wikipedia: tools.fixture }),
    notApplied: [...notApplied],
  };
  const world: World = {
    plan,
    identity,
    catalogue,
    arms,
    unfitArms: unfit,
    loaded,
    models: replay === undefined ? models : models.map(replaying),
    modelAccess: access,
    embedders,
    tools,
    programs,
    sweep,
    reused: replay === undefined ? openReuse(request, access, io) : [replay],
    replay,
    judged: judging?.judged,
    workers,
    files,
    folder: resolve(io.cwd, request.out ?? join("results", `${runName(identity)}${nameEnding(plan, replay)}`)),
    argv: request.argv,
    stops,
    emit,
    notices,
    io,
  };
  emit(plannedEvent(world));
  for (const text of warningsOf(world)) emit({ kind: "notice", level: "warning", text });
  return world;
}

/** Returns the listener of a run, and the notices that it was given so far. Without a listener in the request, notices go to `io.tell`. */
function openNotices({ request = {}, io }: WorldInputs): Pick<World, "emit" | "notices"> {
  const notices: Notice[] = [];
  const emit: Emit = (event) => {
    if (event.kind === "notice") notices.push(event);
    if (request.onEvent !== undefined) request.onEvent(event);
    else if (event.kind === "notice") io.tell(noticeText(event));
  };
  return { emit, notices };
}

/** Returns the tasks with their data; for a judge its questions. */
async function loadTasks(plan: Plan, catalogue: Catalogue, { judging, io }: WorldInputs): Promise<LoadedTask[]> {
  if (judging !== undefined) return plan.tasks.map(({ options }) => ({ ...judging.loaded, given: options }));
  const loaded: LoadedTask[] = [];
  for (const { name } of plan.tasks)
    loaded.push(await loadTask(catalogue.tasks.get(name), { plan, catalogue, cwd: io.cwd }));
  return loaded;
}

/** Returns what varies in a sweep. Throws UsageError on a sweep that is incomplete, or a control that is undefined on the data. */
function openSweep(
  { sweep, demo, options }: Plan,
  loaded: readonly LoadedTask[],
  { methods, models }: { readonly methods: readonly Method[]; readonly models: readonly string[] },
): SweepFacts | undefined {
  const undefinedFor = undefinedControls(loaded, sweep?.kind);
  const facts = sweep && sweepFacts(sweep, { methods, models, demo, given: options });
  return facts?.kind === "controls" && undefinedFor.length > 0 ? { ...facts, undefinedFor } : facts;
}

/** Returns how the usual folder name of a replay, or of a shard, ends. */
function nameEnding({ shard }: Plan, replay: ReusedRun | undefined): string {
  if (replay !== undefined) return "-replay";
  return shard === undefined ? "" : `-shard-${shard.shard}-of-${shard.of}`;
}

function warningsOf({ plan, arms, loaded, files, io }: World): string[] {
  return [
    ...unusedOptions(plan, arms),
    ...selectorWarnings(arms, loaded, files),
    ...loaded.flatMap(dataWarnings),
    ...shortSecrets(io.env),
  ];
}

/** Returns the run of `--replay`, or the one that is verified. */
function openReplay({ request: { replay } = {}, recorded, io: { runs } }: WorldInputs): ReusedRun | undefined {
  if (recorded !== undefined) return replayedRun(recorded);
  return replay === undefined ? undefined : replayedRun(runs.getWithPacks(replay, `--replay ${replay}`));
}

/** Returns the runs of `--reuse`. */
function openReuse(
  { reuse = [] }: Pick<RunRequest, "reuse">,
  models: World["modelAccess"],
  { runs, tell }: ReadingIo,
): ReusedRun[] {
  const opened = [reuse].flat().map((name) => reusedRun(runs.getWithPacks(name, `--reuse ${name}`), models));
  for (const run of opened) for (const line of skippedModels(run, models)) tell(line);
  return opened;
}

function openPrograms(
  { options, servers: { endpoints } }: Plan,
  { cwd, env, clock, openPrograms: opened }: Io,
  { dryRun, stops, recorded }: { dryRun: boolean; stops: Stops; recorded: Manifest | undefined },
): OpenedPrograms {
  if (opened === undefined) return { method: () => undefined, close: async () => undefined };
  const contents = recorded?.identity.arms.map(
    ({ method, options }) => [method, String(options["exec.content"])] as const,
  );
  return opened({
    cwd,
    env,
    clock,
    dryRun,
    stop: stops.asked,
    kill: stops.kill,
    allowed: serverSettings(options).execEnv,
    keys: variablesOf(endpoints),
    recorded: new Map(contents),
  });
}

/** Returns warnings about the files that selectors read. Throws UsageError on a file that is not one of theirs. */
function selectorWarnings(
  arms: readonly Arm[],
  loaded: readonly LoadedTask[],
  files: ReadonlyMap<string, string>,
): string[] {
  const warnings = arms.flatMap(({ spec, options, loaded: data }) => {
    const { units } = loaded.find(({ task }) => task === data.task) ?? data; // the arm of a shard has not all units
    return spec.options.select === undefined ? [] : (checkSelectorFile(options, files, units, spec.task) ?? []);
  });
  return [...new Set(warnings)];
}

function identityOf(
  arms: readonly Arm[],
  loaded: readonly LoadedTask[],
  { models, servers: { endpoints, baseUrl } }: Plan,
): Omit<Identity, "notApplied"> {
  const [imported] = arms.flatMap(({ method }) => method.imported ?? []);
  return {
    arms: arms.map(({ spec }) => ({ ...spec, options: { ...spec.options } })),
    data: loaded.map(dataIdentity),
    ...defined({
      baseUrl: baseUrl === undefined ? undefined : withoutUrlSecrets(baseUrl),
      endpoints: plannedEndpoints(models, endpoints),
      imported: imported?.files.map((file) => ({ ...file })),
    }),
  };
}

function plannedEvent({ plan, models, replay, io }: World): RunPlanned {
  const { prices, servers } = plan;
  const known = pricesAt(io.clock.now(), prices, servers.endpoints);
  const isPriced = (id: string): boolean => known.ofCall(id, { in: 1, out: 1 }) !== undefined;
  const unpriced = models.filter(({ id, simulated }) => replay === undefined && !simulated && !isPriced(id));
  return {
    kind: "planned",
    tasks: plan.tasks.map(({ name }) => name),
    data: plan.data,
    models: plan.models,
    unpriced: unpriced.map(({ id }) => id),
    answers: sourceOfAnswers(models),
    sweep: plan.sweep?.kind,
  };
}
