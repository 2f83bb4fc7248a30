import { join, resolve } from "node:path";
import { dataOptions } from "../../data/options.js";
import { UsageError } from "../../errors.js";
import { type Commands, openCommands } from "../../extend/exec/open-commands.js";
import type { ReadLog } from "../../log/log.js";
import { plannedEndpoints, variablesOf } from "../../models/endpoints.js";
import { pricesAt } from "../../models/prices.js";
import { replaying } from "../../models/wrap/cached.js";
import { knownSecrets, SHORTEST_SECRET } from "../../net/known.js";
import { withoutUrlSecrets } from "../../net/url.js";
import { refuseUnknown } from "../../registry/options.js";
import { allOptions } from "../../run/all-options.js";
import { type Catalogue, catalogueOf, extended } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { type Manifest, type RunPlan, readManifest, runName } from "../../run/manifest.js";
import { Programs } from "../../run/outside/programs.js";
import { type OpenedLog, openReused, skippedModels } from "../../run/outside/reuse.js";
import { noModel } from "../../run/plan/exec-options.js";
import { inPart, type Shard } from "../../run/plan/part.js";
import { type Arm, type LoadedTask, planArms } from "../../run/plan/plan.js";
import { checkSweep, sweepFacts, sweepPoints } from "../../run/plan/sweep.js";
import { type GitState, gitState } from "../../run/version.js";
import { checkSelectorFile } from "../../selectors/select-option.js";
import { contentId } from "../../text/content-id.js";
import type { Method, Model, SweepFacts, Task } from "../../types/index.js";
import { withImported } from "../import/method.js";
import { ownTasksIn } from "../plugins/own-task.js";
import { refuseAbsentPlugins } from "../plugins/plugins.js";
import { layersIn } from "./config/portable-layers.js";
import { type RunSettings, settingsOfLayers, settingsOfRequest } from "./config/resolve-settings.js";
import {
  type Given,
  refuseSetTemperatures,
  refuseSweptWire,
  type SentOptions,
  sentOptions,
} from "./config/sent-options.js";
import { unusedKnobs } from "./config/unused-knobs.js";
import { dataWarnings, planData } from "./data/data-facts.js";
import { withInputFiles } from "./data/input-files.js";
import { loadTask, withDemoFixture } from "./data/load-task.js";
import { fitting, refuseEmptyPools, refuseUndefinedControl, undefinedControls } from "./data/undefined-arms.js";
import { type Emit, type Notice, noticeText, type RunPlanned } from "./events.js";
import { refuseUnbatched } from "./models/batching.js";
import { type Embedders, openEmbedders } from "./models/open-embedders.js";
import { openFurtherModels, openModels } from "./models/open-models.js";
import { noTools, openRunTools, type RunTools } from "./models/tools.js";
import { askedPart, partEnding, refuseSharedCalls } from "./parts.js";
import { flagOf, type RunRequest } from "./settings.js";
import { openStops, type Stops } from "./stops.js";

/** Everything a run needs, with every name resolved and every input checked, before the first call. */
export interface Prepared {
  /** As it was asked for. */
  readonly request: RunRequest;
  /** The database of workers, as named; true: by the environment. Undefined: this process does the work itself. */
  readonly workers: string | true | undefined;
  readonly settings: RunSettings;
  readonly arms: readonly Arm[];
  /** Those that would be there if their method said something on their task. */
  readonly absent: readonly Arm[];
  readonly loaded: readonly LoadedTask[];
  /** The providers' models, bare: those that answer, then the further ones that options name. */
  readonly models: readonly Model[];
  readonly embedders: Embedders;
  readonly tools: RunTools;
  /** The programs of `exec:` methods. */
  readonly commands: Commands;
  /** What such programs answered. */
  readonly programs: Programs;
  readonly plan: RunPlan;
  /** What varies between the arms; undefined where nothing but the method does. */
  readonly sweep: SweepFacts | undefined;
  /** How each model is asked, by id. */
  readonly asked: NonNullable<Manifest["models"]>;
  /** The logs that answers are taken from. */
  readonly reused: readonly OpenedLog[];
  /** The one among them that answers in everyone's place; undefined in a run that calls. */
  readonly replay: OpenedLog | undefined;
  /** Of a judge's run: whose replies are judged, and how. */
  readonly judged: Manifest["judged"];
  /** The shard that is run here; undefined: the whole run. `loaded` and `plan` are of the whole run in any case. */
  readonly part: Shard | undefined;
  /** Texts of the files that options name, by the names in the cells. */
  readonly files: ReadonlyMap<string, string>;
  /** The same by their paths as they were typed. */
  readonly typedFiles: ReadonlyMap<string, string>;
  /** The run folder, absolute. */
  readonly folder: string;
  readonly stops: Stops;
  readonly emit: Emit;
  /** What was told so far. */
  readonly notices: readonly Notice[];
  readonly io: Io;
  /** Of the folder at hand, where it is in a repository. */
  readonly git: GitState | undefined;
}

interface Mode {
  /** Nothing will be sent. */
  readonly dryRun?: boolean;
  /** The log that answers in everyone's place, where it is no file that was asked for: of a run that is verified. */
  readonly recorded?: { readonly log: ReadLog; readonly name: string; readonly manifest: Manifest };
  /** The run as another process has planned it, in place of what is asked for: a worker's. */
  readonly planned?: {
    readonly settings: RunSettings;
    /** The text of a file that an option names. Throws UsageError where the plan does not hold it. */
    file(path: string): string;
  };
  /** The questions of a judge, in the place of data that are read from files. */
  readonly judging?: Judging;
}

/** What a judge is asked about, ready to be asked. */
export interface Judging {
  readonly judged: NonNullable<Manifest["judged"]>;
  readonly loaded: Omit<LoadedTask, "given">;
}

/**
 * Resolves every name, reads the data, opens models, embedders and tools, and tells what is planned. Throws UsageError on whatever is
 * wrong.
 */
export async function prepare(
  request: RunRequest,
  given: Io,
  { dryRun = false, recorded, planned: others, judging }: Mode = {},
): Promise<Prepared> {
  const stops = openStops(request);
  const part = askedPart(request) ?? recorded?.manifest.part;
  const notices: Notice[] = [];
  const emit: Emit = (event) => {
    if (event.kind === "notice") notices.push(event);
    if (request.onEvent !== undefined) request.onEvent(event);
    else if (event.kind === "notice") given.tell(noticeText(event));
  };
  const io: Io = { ...given, tell: (text) => emit({ kind: "notice", level: "note", text }) };
  const git = dryRun ? undefined : gitState(io.cwd, io.env); // while the data are read
  const settings =
    others?.settings ??
    (recorded === undefined ? await settingsOfRequest(request, io) : recordedSettings(request, recorded, io));
  const workers = askedWorkers(request, settings);
  const { catalogue } = settings;
  const named = withInputFiles(settings, io.cwd, others?.file ?? keptFiles(recorded?.log));
  const tasks = settings.tasks.map((name) => catalogue.tasks.get(name, "--task"));
  const replay = openReplay(request, recorded, io);
  const programs = new Programs({ isReplay: replay !== undefined, stop: stops.stop.signal });
  const commands = commandsOf(settings, io, { dryRun, stops, recorded: replay?.manifest });
  const methods = methodsOf(settings, catalogue, commands);
  refuseUnknownOptions(settings, tasks, catalogue);
  const before = settings.out === undefined ? undefined : readManifest(resolve(io.cwd, settings.out));
  const look = { dryRun: dryRun || replay !== undefined || workers !== undefined, recorded: before?.plan.cells };
  const answering = await openAnswering({ tasks, methods }, named.settings, io, look);
  const { points, variants, options } = answering;
  const asked = askedModels(answering.models, settings);
  const reused = [...(replay === undefined ? [] : [replay]), ...openLogs(request, asked, io)];
  const embedders = await openEmbedders(variants, catalogue.embedders, io, replay?.manifest.embedders);
  const loaded: LoadedTask[] = [];
  for (const task of tasks)
    loaded.push(
      judging === undefined
        ? await loadTask(task, named.settings, io.cwd)
        : { ...judging.loaded, given: settings.setFor(task.name) },
    );
  const { seed, repeats } = settings;
  const planned = planArms({
    tasks: part === undefined ? loaded : loaded.map((data) => inPart(data, part)),
    methods,
    models: answering.names,
    runOptions: options.of,
    points,
    seed,
    repeats,
  });
  const arms = fitting(planned);
  const sweep = factsOf(settings, methods, answering.names, loaded);
  if (sweep?.kind !== "controls") refuseUndefinedControl(loaded);
  const doubts = checkedOptions(arms, loaded, named.files);
  refuseEmptyPools(arms);
  refuseSetTemperatures(arms, answering.models, settings);
  refuseSharedCalls(part, arms);
  const calling = arms.filter(({ method, options: own }) => (method.needs?.(own).tools.length ?? 0) > 0);
  const searching = [...new Set(calling.map(({ method }) => method.name))];
  const users = {
    demo: settings.data === undefined,
    searching,
    recorded: replay && { fixture: replay.manifest.plan.wikipedia },
  };
  const tools = calling.length === 0 ? noTools : openRunTools(withDemoFixture(named.settings.set, settings), io, users);
  const plan = planOf(arms, loaded, settings, { notApplied: options.notApplied(), fixture: tools.fixture });
  const prepared: Prepared = {
    request,
    workers,
    settings,
    arms,
    absent: planned.filter((arm) => !arms.includes(arm) && arm.cell.repeat === 0),
    loaded,
    models: replay === undefined ? answering.models : answering.models.map(replaying),
    embedders,
    tools,
    commands,
    programs,
    plan,
    sweep,
    asked,
    reused,
    replay,
    judged: judging?.judged,
    part,
    files: named.files,
    typedFiles: named.typed,
    folder: folderOf({ plan, part, replay }, settings.out, io.cwd),
    stops,
    emit,
    notices,
    io,
    git: await git,
  };
  if (replay === undefined) refuseUnbatched(settings, prepared.models, arms);
  emit(plannedEvent(prepared));
  const warnings = [
    ...unusedKnobs(settings, methods),
    ...doubts,
    ...loaded.flatMap(dataWarnings),
    ...exemptSecrets(io.env),
  ];
  for (const text of warnings) emit({ kind: "notice", level: "warning", text });
  return prepared;
}

/** Throws UsageError on what does not go with workers. */
function askedWorkers({ workers, replay, shard }: RunRequest, { batch, set }: RunSettings): string | true | undefined {
  if (workers === undefined || workers === false) return undefined;
  const [other] = Object.entries({ batch, replay, shard }).find(([, given]) => given !== undefined) ?? [];
  if (other !== undefined) throw new UsageError(`${flagOf(other)} and --workers do not go together; leave one out`);
  if (set["wiki.mode"] === "record")
    throw new UsageError("wiki.mode=record writes a file here, and workers search elsewhere; leave --workers out");
  return workers;
}

/** The settings that a log was made with, on the data of the request where it names some. */
function recordedSettings(
  { data, out }: RunRequest,
  { manifest, name }: NonNullable<Mode["recorded"]>,
  io: Io,
): RunSettings {
  const known = catalogueOf(io);
  refuseAbsentPlugins(name, manifest.plugins, known);
  const tasks = ownTasksIn(manifest, name).filter((task) => known.tasks.find(task.name) === undefined);
  const catalogue = withImported(tasks.length === 0 ? known : extended(known, { tasks }, name), manifest);
  const layers = layersIn(manifest.layers, name);
  const own = { ...(data === undefined ? {} : { data }), ...(out === undefined ? {} : { out }) };
  return settingsOfLayers([...layers, own], layers.length, catalogue);
}

/** How each model is asked: answers of a run that asks it in another way are not those of this one. */
const askedModels = (models: readonly Model[], { baseUrl, endpoints }: RunSettings): Prepared["asked"] =>
  Object.fromEntries(
    models.map(({ id, address }) => {
      const { [id.slice(0, id.indexOf("/"))]: named } = plannedEndpoints([id], endpoints) ?? {};
      const server = address ?? (baseUrl === undefined ? undefined : baseUrl);
      return [
        id,
        {
          ...(server === undefined ? {} : { server: idOf(withoutUrlSecrets(server)) }),
          ...(named === undefined ? {} : { endpoint: idOf(named) }),
        },
      ];
    }),
  );

/** Addresses of this machine stand in no pack, and a pack is compared, too. */
const idOf = (value: unknown): string => contentId(value).slice(0, ID_DIGITS);
const ID_DIGITS = 12;

/** The log of `--replay`, or the one that is verified. */
function openReplay({ replay }: RunRequest, recorded: Mode["recorded"], { cwd }: Io): OpenedLog | undefined {
  if (recorded !== undefined) return { ...recorded, models: { has: () => true }, isReplay: true };
  return replay === undefined ? undefined : openReused(replay, { cwd, flag: "--replay" });
}

/** The logs of `--reuse`. */
function openLogs({ reuse }: RunRequest, models: Prepared["asked"], io: Io): OpenedLog[] {
  const opened = [reuse ?? []].flat().map((named) => openReused(named, { cwd: io.cwd, flag: "--reuse", models }));
  for (const log of opened) for (const line of skippedModels(log, models)) io.tell(line);
  return opened;
}

/** The texts of files that options named when a run was made, by their path as it was typed. */
const keptFiles =
  (log: ReadLog | undefined) =>
  (path: string): string | undefined => {
    const kept = log?.state.facts.get(`file ${path}`);
    return typeof kept === "string" ? kept : undefined;
  };

/** Where the run stands, or will stand, absolute. */
function folderOf(
  { plan, part, replay }: Pick<Prepared, "plan" | "part" | "replay">,
  out: string | undefined,
  cwd: string,
): string {
  const ending = replay === undefined ? partEnding(part) : "-replay";
  return resolve(cwd, out ?? join("results", `${runName(plan)}${ending}`));
}

function plannedEvent({ settings, models, replay, io }: Prepared): RunPlanned {
  const { tasks, data, models: named, sweep } = settings;
  const prices = pricesAt(io.clock.now(), settings.prices, settings.endpoints);
  const unpriced = models.filter(
    ({ id, simulated }) => !simulated && prices.ofCall(id, { in: 1, out: 1 }) === undefined,
  );
  const programs = models.every((model) => model === noModel);
  const embedded = models.every(({ simulated }) => simulated);
  const answers = programs ? "programs" : embedded ? "embedded model" : "model";
  const withoutPrice = replay === undefined ? unpriced.map(({ id }) => id) : [];
  return { kind: "planned", tasks, data, models: named, unpriced: withoutPrice, answers, sweep: sweep?.kind };
}

/** The programs that `exec:` methods are. */
const commandsOf = (
  { execEnv, endpoints }: RunSettings,
  { cwd, env, clock }: Io,
  { dryRun, stops, recorded }: { dryRun: boolean; stops: Stops; recorded: Manifest | undefined },
) =>
  openCommands({
    cwd,
    env,
    allowed: execEnv,
    keys: variablesOf(endpoints),
    clock,
    recorded: new Map(recorded?.plan.cells.map(({ method, options }) => [method, String(options["exec.content"])])),
    dryRun,
    stop: stops.asked,
    kill: stops.kill,
  });

/** Each once. */
const methodsOf = ({ methods }: RunSettings, catalogue: Catalogue, commands: Commands): Method[] => [
  ...new Set(methods.map((name) => commands.method(name) ?? catalogue.methods.get(name, "--method"))),
];

function refuseUnknownOptions({ set, setFor }: RunSettings, tasks: readonly Task[], catalogue: Catalogue): void {
  const known = Object.keys(allOptions(catalogue));
  refuseUnknown(Object.keys(set), known, "--set");
  for (const { name } of tasks) refuseUnknown(Object.keys(setFor(name)), known, `perTask ${name}`);
}

/** The models of a run, bare, and the options that their arms have. */
interface Answering {
  /** Those that answer come first. */
  readonly models: readonly Model[];
  /** Ids of those that answer. */
  readonly names: readonly string[];
  /** Of the sweep; without one, the one that varies nothing. */
  readonly points: readonly Given[];
  /** What is given for each task at each point. */
  readonly variants: readonly Given[];
  readonly options: SentOptions;
}

/** Opens the models that answer and those that options name. Throws UsageError on a sweep that none of the methods has, and on options that a model refuses. */
async function openAnswering(
  { tasks, methods }: { readonly tasks: readonly Task[]; readonly methods: readonly Method[] },
  settings: RunSettings,
  io: Io,
  look: Parameters<typeof openModels>[3],
): Promise<Answering> {
  const { sweep } = settings;
  const opened = await openModels(settings, methods, io, look);
  const names = opened.map(({ id }) => id);
  if (sweep !== undefined) checkSweep(sweep, { methods, models: names, demo: settings.demo, common: dataOptions });
  const points = sweep === undefined ? [{}] : sweepPoints(sweep);
  const variants = tasks.flatMap(({ name }) => points.map((point) => ({ ...settings.setFor(name), ...point })));
  const models = [...opened, ...(await openFurtherModels(variants, opened, settings, io, look))];
  const options = sentOptions(models, settings, names.length);
  for (const given of variants) for (const name of names) options.of(given, name);
  refuseSweptWire(variants, settings);
  return { models, names, points, variants, options };
}

/** What varies, as the manifest has it; undefined without a sweep. */
function factsOf(
  { sweep, set: given }: RunSettings,
  methods: readonly Method[],
  models: readonly string[],
  loaded: readonly LoadedTask[],
): SweepFacts | undefined {
  if (sweep === undefined) return undefined;
  const undefinedFor = sweep.kind === "controls" ? undefinedControls(loaded) : [];
  return {
    ...sweepFacts(sweep, { methods, models, given }),
    ...(undefinedFor.length === 0 ? {} : { undefinedFor }),
  };
}

/** Warnings about the files that selectors read. Throws UsageError on options that a method refuses, and on such a file. */
function checkedOptions(
  arms: readonly Arm[],
  loaded: readonly LoadedTask[],
  files: ReadonlyMap<string, string>,
): string[] {
  const doubts = new Set<string | undefined>();
  for (const { cell, method, options, loaded: data } of arms) {
    method.check?.(options, data.task);
    if (cell.options.select === undefined) continue;
    const { units } = loaded.find(({ task }) => task === data.task) ?? data; // a shard's are not all
    doubts.add(checkSelectorFile(options, files, units, cell.task));
  }
  return [...doubts].flatMap((one) => one ?? []);
}

/** Names the variables whose secrets are too short to be told from ordinary text. */
function exemptSecrets(env: Io["env"]): string[] {
  const { exempt } = knownSecrets(env);
  if (exempt.length === 0) return [];
  const [are, they] = exempt.length === 1 ? ["is", "it"] : ["are", "they"];
  return [`${exempt.join(", ")} ${are} under ${SHORTEST_SECRET} characters: ${they} cannot be masked in files`];
}

function planOf(
  arms: readonly Arm[],
  loaded: readonly LoadedTask[],
  settings: RunSettings,
  outside: { readonly notApplied: string[]; readonly fixture: string | undefined },
): RunPlan {
  const endpoints = plannedEndpoints(settings.models, settings.endpoints);
  const [imported] = arms.flatMap(({ method }) => method.imported ?? []);
  return {
    cells: arms.map(({ cell }) => ({ ...cell, options: { ...cell.options } })),
    data: loaded.map(planData),
    ...(settings.baseUrl === undefined ? {} : { baseUrl: withoutUrlSecrets(settings.baseUrl) }),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(outside.fixture === undefined ? {} : { wikipedia: outside.fixture }),
    notApplied: outside.notApplied,
    ...(imported === undefined ? {} : { imported: imported.files.map((file) => ({ ...file })) }),
  };
}
