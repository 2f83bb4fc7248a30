import { relative } from "node:path";
import { endpointOf } from "../models/endpoints.js";
import { tokensOf } from "../models/tokens.js";
import { knownSecrets } from "../net/secrets.js";
import { AnswerBook, embeddedOnce, ReplayMiss } from "../outside/answers.js";
import { openBatching } from "../outside/batch/batching.js";
import { type Calls, openCalls } from "../outside/calls.js";
import { Once } from "../outside/once.js";
import { isFromStore } from "../outside/store.js";
import { armTitle } from "../plan/arms.js";
import { timestamp, version } from "../plan/io.js";
import { runOptions, serverSettings } from "../plan/options.js";
import type { Arm, Plan } from "../plan/types.js";
import { isFinished, RunFolder } from "../record/folder.js";
import { changedSetting, type Manifest } from "../record/manifest.js";
import { RowFiles, rowHashes } from "../record/rows.js";
import { FILE, type StoredRun } from "../record/stored-run.js";
import { furtherModels } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { countOf } from "../text/count.js";
import type { Model, ModelReply } from "../types/index.js";
import { manifestFor } from "./describe.js";
import { addCalls, deduplicatedCalls, openTally, type Tally, unknownAnswers } from "./ending.js";
import { type ArmModels, type EngineSettings, runArms } from "./engine.js";
import { watchReplies } from "./health.js";
import type { CallOrigin } from "./kit.js";
import { checkEmbedders, checkToolCalls } from "./probe.js";
import type { Rows } from "./unit.js";
import type { World } from "./world.js";

/** The result of workers. */
export interface WorkersResult {
  /** The run with the users that are done: the log answers all their calls. */
  readonly run: World;
  /** Why some users are not done; undefined if all are. */
  readonly reason: unknown;
  /** Adds the calls of the workers. */
  count(tally: Tally): void;
}

/** Has workers make the calls of a run, or fetches their answers so far. Returns undefined if this process is to make the calls. */
export type Delegate = (run: World, home: RunFolder, answers: AnswerBook) => Promise<WorkersResult | undefined>;

/** Name of the fact that holds the database of a run's workers; null once the database does not hold the run any more. */
export const WORKERS = "workers";

export interface Executed {
  /** The run for reading. Its log is closed: replies cannot be read. */
  readonly run: StoredRun;
  /** Why it ended early; undefined if every question has its row. */
  readonly reason: unknown;
  readonly tally: Tally;
  /** False if the run had finished before. */
  readonly isNew: boolean;
  /** Remarks for the end of the command. */
  readonly remarks: readonly string[];
}

interface Execution {
  /** Used if the run asks for workers, or had some. */
  readonly delegate?: Delegate | undefined;
  /** Default: the manifest of the folder, or a new one. */
  readonly manifest?: Manifest;
}

/** A run in its locked folder. */
interface Work {
  readonly world: World;
  readonly home: RunFolder;
  readonly tally: Tally;
}

/**
 * Runs or resumes a run in its folder. Calls that its log answers are not made again. Throws UsageError if the folder holds another run,
 * or is in use.
 */
export async function execute(world: World, execution: Execution = {}): Promise<Executed> {
  const { folder, stops, plan, io } = world;
  const home = new RunFolder(folder, {
    onLost: (error) => stops.stop.abort(error),
    secrets: knownSecrets(io.env),
  });
  const release = stops.drainWithin(serverSettings(plan.options).drainSeconds * 1000);
  try {
    return await executeIn(home, world, execution);
  } finally {
    release();
    home.close();
  }
}

async function executeIn(home: RunFolder, world: World, { delegate, ...given }: Execution): Promise<Executed> {
  const stored = home.storedManifest;
  const { end } = home.log.state;
  const manifest = given.manifest ?? manifestFor(world, home.hasAnswers ? stored : undefined);
  const isSame = stored !== undefined && changedSetting(stored.identity, manifest.identity) === undefined;
  const isDone = isSame && end !== undefined && isFinished(world.folder, home.log.state, version());
  home.begin(manifest);
  if (isDone) {
    home.finish(end.rows, end.by); // `begin` may have cancelled the end
    await world.programs.close();
    return { run: home.stored(), reason: undefined, tally: openTally(manifest), isNew: false, remarks: [] };
  }
  const oldRows = end === undefined || end.by === version() ? undefined : rowHashes(world.folder);
  const { reason, tally } = await executeArms(world, home, { manifest, delegate });
  const remarks = oldRows === undefined || reason !== undefined ? [] : changedArms(oldRows, world.folder, end?.by);
  return { run: home.stored(), reason, tally, isNew: true, remarks };
}

/** Returns a remark if rows differ from those of the version that finished the run before. `old`: the hashes of its rows, by arm. */
function changedArms(old: ReadonlyMap<string, string>, folder: string, by: string | undefined): string[] {
  const changed = [...rowHashes(folder)].filter(([arm, hash]) => old.get(arm) !== hash).length;
  if (changed === 0) return [];
  return [`lamp-eval ${by} finished this run; this version reads ${countOf(changed, "arm")} differently`];
}

/** Executes all arms, by workers if there are any. Writes facts into the log, and the end if all rows are made. */
async function executeArms(
  world: World,
  home: RunFolder,
  { manifest, delegate }: { readonly manifest: Manifest; readonly delegate: Delegate | undefined },
): Promise<Pick<Executed, "reason" | "tally">> {
  const tally = openTally(manifest);
  const { replay, io } = world;
  const { corrupt, money, facts, end } = home.log.state;
  const hasWorkers = world.workers !== undefined || (facts.get(WORKERS) ?? null) !== null;
  if (replay === undefined && world.workers === undefined) await world.tools.check();
  for (const line of end === undefined ? corrupt : [])
    io.tell(`${home.log.path} line ${line}: corrupt; what it held is asked again`);
  if (!hasWorkers) for (const line of unknownAnswers(money)) io.tell(line); // workers may still send answers
  for (const [name, text] of world.files) home.note({ [`${FILE}${name}`]: text });
  home.reopen();
  const { reason, rows } = await makeRows({ world, home, tally }, hasWorkers ? delegate : undefined);
  if (reason !== undefined) return { reason, tally };
  const finishedAt = facts.get("finishedAt"); // the first end is kept when rows are made again
  noteResponders(home, tally);
  home.note({
    ...(Object.keys(tally.probes).length === 0 ? {} : { probes: tally.probes }),
    ...deduplicatedCalls(home, world.identity.arms),
    ...(tally.missed.length === 0 ? {} : { missed: tally.missed.length }),
    finishedAt: typeof finishedAt === "string" ? finishedAt : timestamp(io),
  });
  home.finish(rows, version());
  return { reason, tally };
}

/** Makes all rows. Returns the reason of an early end, and the SHA-256 of the rows. */
async function makeRows(work: Work, delegate: Delegate | undefined): Promise<{ reason: unknown; rows: string }> {
  const { world, home, tally } = work;
  const { programs, replay, reused, folder, emit } = world;
  const once = new Once(new AnswerBook(home.log, reused));
  let calls: Calls | undefined;
  let byWorkers: WorkersResult | undefined;
  emit({
    kind: "started",
    folder: home.path,
    arms: world.arms.map(({ spec, loaded }) => ({ arm: spec.id, task: spec.task, questions: loaded.questions })),
    hosts: [...new Set(world.models.map((model) => hostOf(model, world.plan)))],
    waiting: () => calls?.servers.waiting() ?? [],
    inFlight: () => calls?.budget.inFlight ?? 0,
    spentUsd: () => calls?.spent()?.usd,
  });
  const rows = new RowFiles(folder);
  try {
    byWorkers = await delegate?.(world, home, once.book);
    const here = { ...work, world: byWorkers?.run ?? world };
    calls = openRunCalls(here, once);
    const makesCalls = replay === undefined && byWorkers?.reason === undefined;
    if (makesCalls) await checkEmbedders(here.world, once);
    const refusal = makesCalls ? await probeServers(here, calls) : undefined;
    const reason = refusal ?? (await askArms(here, { calls, rows, once }));
    return { reason: byWorkers?.reason ?? reason, rows: rows.finish() };
  } finally {
    rows.close();
    if (calls !== undefined && replay === undefined) addCalls(tally, calls);
    byWorkers?.count(tally);
    emit({ kind: "stopped" });
    await programs.close();
  }
}

/** Returns the host of a model's server; the provider's name if no address was given. */
function hostOf({ id, address }: Model, { servers: { baseUrl, endpoints } }: Plan): string {
  const url = address ?? endpointOf(endpoints, id)?.baseUrl ?? baseUrl;
  return url === undefined ? (id.split("/")[0] ?? id) : new URL(url).host;
}

/** Opens the calls of a run, which are added to the tally. Throws UsageError if requests in open batches would be bought twice. */
function openRunCalls({ world, home, tally }: Work, once: Once<AnswerBook>): Calls {
  const { folder, replay, stops, emit, io } = world;
  const out = { folder, log: home.log, clock: io.clock, stops, tell: io.tell };
  return openCalls(world, once, {
    batching: replay === undefined ? openBatching(world.plan.servers, out) : undefined,
    onReply(reply) {
      if (isFromStore(reply)) tally.fromStore += 1;
      if (addResponder(tally, reply) && replay === undefined) noteResponders(home, tally);
      emit({ kind: "call", usage: reply.usage, fromStore: isFromStore(reply) });
    },
    onCachedDraw: () => home.note({ cachedDraws: true }),
    onRetry: (error) => emit({ kind: "retry", error: error.message }),
  });
}

/** Adds the model that replied. Returns true at the first reply of a model, and at the first reply in a batch. */
function addResponder(tally: Tally, { model, usage }: ModelReply): boolean {
  const isNew = (model !== "" && !tally.answeredBy.has(model)) || (usage.batch === true && !tally.batch);
  if (model !== "") tally.answeredBy.add(model);
  if (usage.batch === true) tally.batch = true;
  return isNew;
}

/** Writes the models that replied into the log: at once, since the process that finishes the run may make no calls. */
function noteResponders(home: RunFolder, { answeredBy, batch }: Tally): void {
  home.note({ answeredBy: [...answeredBy].sort(), ...(batch ? { batch } : {}) });
}

/** Checks that models make the tool calls that arms need. Returns an error that ends the run before it starts. */
async function probeServers({ world, home, tally }: Work, calls: Calls): Promise<unknown> {
  const refusal = await checkToolCalls(world, calls, (id, { usage }) => {
    tally.probes[id] ??= { day: timestamp(world.io).slice(0, 10), ...tokensOf(usage) };
  });
  if (tally.answeredBy.size > 0) noteResponders(home, tally);
  return refusal;
}

interface EngineDependencies {
  readonly calls: Calls;
  readonly rows: Rows;
  readonly once: Once<AnswerBook>;
}

/** Runs all arms. Returns the reason of an early end. */
function askArms({ world, tally }: Work, dependencies: EngineDependencies): Promise<unknown> {
  const { arms, replay, emit, stops, folder, io } = world;
  const shown = relative(io.cwd, folder) || ".";
  const warn = (text: string): void => emit({ kind: "notice", level: "warning", text });
  const watch = replay === undefined ? watchReplies({ arms, folder: shown, stop: stops.stop, warn }) : undefined;
  const misses = new Set<string>();
  return runArms({
    ...engineOf(world, dependencies),
    arms,
    onRow(row, isNew) {
      emit({ kind: "question", arm: row.arm, outcome: row.outcome });
      watch?.(row, isNew);
    },
    explain(error, origin) {
      if (!(error instanceof ReplayMiss)) return undefined;
      const missing = missText(origin, arms);
      misses.add(missing);
      tally.missed = [...misses].sort();
      return error.worded(`not in ${replay?.name}: ${missing}`);
    },
  });
}

/** Returns the name of a call that a replay lacks: `lamp2m rag, question q1: answer`. */
function missText({ arm: id, unit, question, phase }: CallOrigin, arms: readonly Arm[]): string {
  const arm = arms.find(({ spec }) => spec.id === id)!; // the origin of a call is an arm of the run
  const user = unit === "" ? "shared" : `user ${unit}`;
  return `${armTitle(arm.spec, arms)}, ${question === undefined ? user : `question ${question}`}: ${phase}`;
}

/** Questions in work at once if their calls wait for batches. */
const BATCH_CONCURRENCY = 4000;

/** Returns the settings of an engine for a run. */
export function engineOf(world: World, dependencies: EngineDependencies): Omit<EngineSettings, "arms" | "onRow"> {
  const { tools, files, plan, stops } = world;
  const { calls, rows, once } = dependencies;
  const { batching } = calls;
  return {
    modelsOf: armModels(world, dependencies),
    tool: tools.toolOf(once),
    concurrency:
      batching === undefined
        ? ({ spec }: Arm) => ({ group: spec.model, width: calls.widthOf(spec.model) })
        : (plan.servers.concurrency ?? BATCH_CONCURRENCY),
    waits: batching?.waits,
    online: plan.online,
    once,
    rows,
    files,
    stop: stops.stop,
    kill: stops.kill,
    deadlineSeconds: serverSettings(plan.options).deadlineSeconds,
  };
}

/** Returns the models of each arm. */
function armModels({ embedders, stops }: World, { calls, once }: EngineDependencies): (arm: Arm) => ArmModels {
  const { models } = calls;
  const storing = embedders.wrapped((one) => embeddedOnce(one, once, stops.kill));
  return ({ spec }) => {
    const further = Object.entries(furtherModels(spec)).map(([role, id]) => [role, models.get(id)!] as const); // opened with the plan
    return {
      model: models.get(spec.model)!, // arms are planned over these models
      further: Object.fromEntries(further),
      embedder: storing.of(spec.options).embedder,
      temperature: readOptions(runOptions, spec.options).temperature,
    };
  };
}
