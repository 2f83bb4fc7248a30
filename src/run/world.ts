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
import type { Io, OpenedPrograms } from "../plan/io.js";
import { type Emit, type Notice, noticeText, type RunPlanned } from "../plan/io.js";
import { serverSettings } from "../plan/options.js";
import type { RunRequest } from "../plan/settings.js";
import { sweepFacts, sweepPoints } from "../plan/sweep.js";
import type { Arm, LoadedTask, Plan } from "../plan/types.js";
import { type Identity, type Manifest, runName } from "../record/manifest.js";
import { type ReusedRun, replayedRun, reusedRun, skippedModels } from "../record/reused.js";
import type { ReadingIo, StoredRun } from "../record/stored-run.js";
import { checkSelectorFile } from "../selectors/select-option.js";
import type { Model, SweepFacts, Unit } from "../types/index.js";
import { dataIdentity, dataWarnings, loadTask, ofUnits, shardOf } from "./data.js";
import { type Embedders, howAsked, noModel, openEmbedders, openModels, refuseSweptWire } from "./models.js";
import { openRunTools, type RunTools } from "./tools.js";

/** Everything that a plan names, read and opened, before the first call. */
export interface World {
  readonly plan: Plan;
  /** What decides its rows. */
  readonly identity: Identity;
  /** What its names stand for; its tasks are scored by its metrics. */
  readonly catalogue: Catalogue;
  readonly arms: readonly Arm[];
  /** Those that would be there if their method said something on their task. */
  readonly absent: readonly Arm[];
  /** Of the whole run, also where a shard is run. */
  readonly loaded: readonly LoadedTask[];
  /** The providers' models, bare: those that answer, then the further ones that options name. */
  readonly models: readonly Model[];
  /** How each of them is asked, by id. */
  readonly asked: NonNullable<Manifest["models"]>;
  readonly embedders: Embedders;
  readonly tools: RunTools;
  /** The programs of `exec:` methods. */
  readonly programs: OpenedPrograms;
  /** What varies between the arms; undefined where nothing but the method does. */
  readonly sweep: SweepFacts | undefined;
  /** The logs that answers are taken from. */
  readonly reused: readonly ReusedRun[];
  /** The one among them that answers in everyone's place; undefined in a run that calls. */
  readonly replay: ReusedRun | undefined;
  /** Of a judge's run: whose replies are judged, and how. */
  readonly judged: Manifest["judged"];
  /** The database of workers, as named; true: by the environment. Undefined: this process does the work itself. */
  readonly workers: string | true | undefined;
  /** Texts of the files that options name, by the names in the arms. */
  readonly files: ReadonlyMap<string, string>;
  /** The run folder, absolute. */
  readonly folder: string;
  readonly argv: readonly string[] | undefined;
  readonly stops: Stops;
  readonly emit: Emit;
  /** All notices so far. */
  readonly notices: readonly Notice[];
  readonly io: Io;
}

/** What a plan is opened with. */
export interface WorldInputs {
  readonly catalogue: Catalogue;
  readonly io: ReadingIo;
  /** Where the run stands, what it may take answers from, and who is told. */
  readonly request?: Pick<RunRequest, "out" | "replay" | "reuse" | "workers" | "argv" | "onEvent" | "signal" | "kill">;
  /** Nothing will be sent. */
  readonly dryRun?: boolean;
  /** The log that answers in everyone's place: of a run that is verified. */
  readonly recorded?: StoredRun;
  /** Texts of the files that options name. */
  readonly files: ReadonlyMap<string, string>;
  /** The questions of a judge, in the place of data that are read from files. */
  readonly judging?: Judging;
}

/** What a judge is asked about, ready to be asked. */
export interface Judging {
  readonly judged: NonNullable<Manifest["judged"]>;
  readonly loaded: Omit<LoadedTask, "given">;
}

/** Reads the data of a plan and opens its models, embedders, tools and programs. Throws UsageError on whatever is wrong; nothing is sent. */
export async function openWorld(plan: Plan, inputs: WorldInputs): Promise<World> {
  const { request = {}, dryRun = false, files, judging } = inputs;
  const stops = openStops(request);
  const notices: Notice[] = [];
  const emit: Emit = (event) => {
    if (event.kind === "notice") notices.push(event);
    if (request.onEvent !== undefined) request.onEvent(event);
    else if (event.kind === "notice") inputs.io.tell(noticeText(event));
  };
  const io: ReadingIo = { ...inputs.io, tell: (text) => emit({ kind: "notice", level: "note", text }) };
  const metrics = plan.metrics.map((name) => inputs.catalogue.metrics.get(name, "--metric"));
  const catalogue = withMetrics(inputs.catalogue, metrics);
  const replay = openReplay(inputs);
  for (const line of changedPlugins(replay?.manifest.plugins, catalogue)) io.tell(`${replay?.name}: ${line}`);
  const programs = openPrograms(plan, io, { dryRun, stops, recorded: replay?.manifest });
  const methodOf = (name: string) => programs.method(name) ?? catalogue.methods.get(name, "--method");
  const methods = [...new Set(plan.methods.map(methodOf))];

  const points = sweepPoints(plan.sweep);
  const variants = plan.tasks.flatMap(({ options }) => points.map((point) => ({ ...options, ...point })));
  refuseSweptWire(variants, plan);
  const workers = request.workers === false ? undefined : request.workers;
  const before = request.out === undefined ? undefined : inputs.io.runs.find(request.out)?.manifest;
  const { answering, further } = await openModels(plan, {
    ...{ methods, catalogue, io, variants },
    sendsNothing: dryRun || replay !== undefined || workers !== undefined,
    recorded: (replay?.manifest ?? before)?.identity.arms,
  });
  const models = [...answering, ...further];
  const asked = howAsked(models, plan);
  const ofReplay = replay?.manifest.embedders;
  const embedders = await openEmbedders(variants, catalogue.embedders, io, { recorded: ofReplay, dryRun });

  const loaded: LoadedTask[] = [];
  for (const { name, options } of plan.tasks)
    loaded.push(
      judging === undefined
        ? await loadTask(catalogue.tasks.get(name), plan, catalogue, io.cwd)
        : { ...judging.loaded, given: options },
    );
  for (const data of loaded) refuseMetrics(metrics, data);
  const undefinedFor = undefinedControls(loaded, plan.sweep?.kind);
  const { shard } = plan;
  const isMine = ({ user }: Unit): boolean => shard === undefined || shardOf(user.id, shard.of) === shard.shard;
  const here = shard === undefined ? loaded : loaded.map((data) => ofUnits(data, isMine));
  const names = answering.map(({ id }) => id);
  const sweep = plan.sweep && sweepFacts(plan.sweep, { methods, models: names, demo: plan.demo, given: plan.options });
  const { arms, absent, notApplied } = planArms(plan, { loaded: here, methods, models: answering });
  refuseArms(arms, plan);
  if (replay === undefined) refuseUnbatched(plan, models, arms);
  const tools = openRunTools(plan, arms, io, replay);
  const identity = identityOf(arms, loaded, plan, { notApplied, fixture: tools.fixture });
  const part = replay !== undefined ? "-replay" : shard === undefined ? "" : `-shard-${shard.shard}-of-${shard.of}`;
  const world: World = {
    ...{ plan, identity, catalogue, arms, absent, loaded, asked, embedders, tools, programs },
    ...{ replay, workers, files, judged: judging?.judged, argv: request.argv, stops, emit, notices, io },
    reused: replay === undefined ? openReuse(request, asked, io) : [replay],
    models: replay === undefined ? models : models.map(replaying),
    sweep: sweep?.kind === "controls" && undefinedFor.length > 0 ? { ...sweep, undefinedFor } : sweep,
    folder: resolve(io.cwd, request.out ?? join("results", `${runName(identity)}${part}`)),
  };
  emit(plannedEvent(world));
  const warnings = [
    ...unusedOptions(plan, arms),
    ...selectorWarnings(arms, loaded, files),
    ...loaded.flatMap(dataWarnings),
    ...shortSecrets(io.env),
  ];
  for (const text of warnings) emit({ kind: "notice", level: "warning", text });
  return world;
}

/** The log of `--replay`, or the one that is verified. */
function openReplay({ request: { replay } = {}, recorded, io: { runs } }: WorldInputs): ReusedRun | undefined {
  const run = recorded ?? (replay === undefined ? undefined : runs.getWithPacks(replay, `--replay ${replay}`));
  return run && replayedRun(run);
}

/** The logs of `--reuse`. */
function openReuse(
  { reuse }: Pick<RunRequest, "reuse">,
  models: World["asked"],
  { runs, tell }: ReadingIo,
): ReusedRun[] {
  const named = [reuse ?? []].flat();
  const opened = named.map((name) => reusedRun(runs.getWithPacks(name, `--reuse ${name}`), models));
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
    ...{ cwd, env, clock, dryRun, stop: stops.asked, kill: stops.kill },
    allowed: serverSettings(options).execEnv,
    keys: variablesOf(endpoints),
    recorded: new Map(contents),
  });
}

/** Warnings about the files that selectors read. Throws UsageError on such a file. */
function selectorWarnings(
  arms: readonly Arm[],
  loaded: readonly LoadedTask[],
  files: ReadonlyMap<string, string>,
): string[] {
  const warnings = arms.flatMap(({ spec, options, loaded: data }) => {
    const { units } = loaded.find(({ task }) => task === data.task) ?? data; // a shard's are not all
    return spec.options.select === undefined ? [] : (checkSelectorFile(options, files, units, spec.task) ?? []);
  });
  return [...new Set(warnings)];
}

function identityOf(
  arms: readonly Arm[],
  loaded: readonly LoadedTask[],
  { models, servers: { endpoints, baseUrl } }: Plan,
  { notApplied, fixture }: { readonly notApplied: readonly string[]; readonly fixture: string | undefined },
): Identity {
  const named = plannedEndpoints(models, endpoints);
  const [imported] = arms.flatMap(({ method }) => method.imported ?? []);
  return {
    arms: arms.map(({ spec }) => ({ ...spec, options: { ...spec.options } })),
    data: loaded.map(dataIdentity),
    ...(baseUrl === undefined ? {} : { baseUrl: withoutUrlSecrets(baseUrl) }),
    ...(named === undefined ? {} : { endpoints: named }),
    ...(fixture === undefined ? {} : { wikipedia: fixture }),
    notApplied: [...notApplied],
    ...(imported === undefined ? {} : { imported: imported.files.map((file) => ({ ...file })) }),
  };
}

function plannedEvent({ plan, models, replay, io }: World): RunPlanned {
  const { tasks, data, models: named, sweep, prices, servers } = plan;
  const known = pricesAt(io.clock.now(), prices, servers.endpoints);
  const unpriced = models.filter(
    ({ id, simulated }) => replay === undefined && !simulated && known.ofCall(id, { in: 1, out: 1 }) === undefined,
  );
  const isProgram = models.every(({ id }) => id === noModel.id);
  const answers = isProgram ? "programs" : models.every(({ simulated }) => simulated) ? "embedded model" : "model";
  const ids = unpriced.map(({ id }) => id);
  return {
    kind: "planned",
    tasks: tasks.map(({ name }) => name),
    data,
    models: named,
    unpriced: ids,
    answers,
    sweep: sweep?.kind,
  };
}
