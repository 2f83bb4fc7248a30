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

/** What workers have done of a run. */
export interface WorkersResult {
  /** The run with the users that are done, whose calls are all answered by the log. */
  readonly run: World;
  /** Why the others are not; undefined where all are done. */
  readonly reason: unknown;
  /** Adds what the workers' calls came to. */
  count(tally: Tally): void;
}

/** Has workers do a run, or fetches what they have done of it; undefined: this process goes on by itself. */
export type Delegate = (run: World, home: RunFolder, answers: AnswerBook) => Promise<WorkersResult | undefined>;

/** Name of the fact that holds where a run's workers' database is; null once the run is removed from it. */
export const WORKERS = "workers";

/** What came of a run. */
export interface Executed {
  /** The run for reading. Its log is closed: what calls said cannot be read. */
  readonly run: StoredRun;
  /** Why it ended early; undefined where every question has its row. */
  readonly reason: unknown;
  readonly tally: Tally;
  /** False where an earlier process had finished it, so that nothing was done. */
  readonly isNew: boolean;
  /** What a reader must know besides. */
  readonly remarks: readonly string[];
}

interface Execution {
  /** Has workers do the run where it asks for them. */
  readonly delegate?: Delegate | undefined;
  /** Describes the run. Default: the folder's own, or a new one. */
  readonly manifest?: Manifest;
}

/** A run at work. */
interface Work {
  readonly world: World;
  readonly home: RunFolder;
  readonly tally: Tally;
}

/**
 * Runs, or resumes, a world in its folder: what the log knows is answered from it, what it lacks is asked. Throws UsageError where the
 * folder holds another run, or is in use.
 */
export async function execute(world: World, execution: Execution = {}): Promise<Executed> {
  const { folder, stops, plan, io } = world;
  const home = new RunFolder(folder, {
    now: () => io.clock.now(),
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
  const before = home.storedManifest;
  const { end } = home.log.state;
  const manifest = given.manifest ?? manifestFor(world, home.hasAnswers ? before : undefined);
  const isSame = before !== undefined && changedSetting(before.identity, manifest.identity) === undefined;
  const isDone = isSame && end !== undefined && isFinished(world.folder, home.log.state, version());
  home.begin(manifest);
  if (isDone) {
    home.finish(end.rows, end.by); // begin() may have appended a `plan` after the old `end`
    await world.programs.close();
    return { run: home.stored(), reason: undefined, tally: openTally(manifest), isNew: false, remarks: [] };
  }
  const oldRows = end === undefined || end.by === version() ? undefined : rowHashes(world.folder);
  const { reason, tally } = await executeArms(world, home, { manifest, delegate });
  const remarks = oldRows === undefined || reason !== undefined ? [] : changedArms(oldRows, world.folder, end?.by);
  return { run: home.stored(), reason, tally, isNew: true, remarks };
}

/** Says how many arms of a run that another version finished have other rows by this one; nothing where none has. */
function changedArms(old: ReadonlyMap<string, string>, folder: string, by: string | undefined): string[] {
  const changed = [...rowHashes(folder)].filter(([arm, hash]) => old.get(arm) !== hash).length;
  if (changed === 0) return [];
  return [`lamp-eval ${by} finished this run; this version reads ${countOf(changed, "arm")} differently`];
}

/** Executes every arm, by workers where there are any. Notes what was learned, and the end where all rows are made. */
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
  for (const line of hasWorkers ? [] : unknownAnswers(money)) io.tell(line); // answers to tries of workers may still come
  for (const [name, text] of world.files) home.note({ [`${FILE}${name}`]: text });
  home.reopen();
  const { reason, rows } = await work({ world, home, tally }, hasWorkers ? delegate : undefined);
  if (reason !== undefined) return { reason, tally };
  const finishedAt = facts.get("finishedAt"); // a run whose rows are made again is no younger
  noteAnswers(home, tally);
  home.note({
    ...(Object.keys(tally.probes).length === 0 ? {} : { probes: tally.probes }),
    ...deduplicatedCalls(home, world.identity.arms),
    ...(tally.missed.length === 0 ? {} : { missed: tally.missed.length }),
    finishedAt: typeof finishedAt === "string" ? finishedAt : timestamp(io),
  });
  home.finish(rows, version());
  return { reason, tally };
}

/** Returns the reason of an early end, and the SHA-256 of the rows. */
async function work(all: Work, delegate: Delegate | undefined): Promise<{ reason: unknown; rows: string }> {
  const { world, home, tally } = all;
  const { programs, replay, reused, folder, emit } = world;
  const once = new Once(new AnswerBook(home.log, reused));
  let calls: Calls | undefined;
  let handed: WorkersResult | undefined;
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
    handed = await delegate?.(world, home, once.book);
    const here = { ...all, world: handed?.run ?? world };
    calls = openRunCalls(here, once);
    const asksServers = replay === undefined && handed?.reason === undefined;
    if (asksServers) await checkEmbedders(here.world, once);
    const refusal = asksServers ? await probeServers(here, calls) : undefined;
    const reason = refusal ?? (await askArms(here, { calls, rows, once }));
    return { reason: handed?.reason ?? reason, rows: rows.finish() };
  } finally {
    rows.close();
    if (calls !== undefined && replay === undefined) addCalls(tally, calls);
    handed?.count(tally);
    emit({ kind: "stopped" });
    await programs.close();
  }
}

/** The host that a model is asked at; of a provider's own server the provider's name. */
function hostOf({ id, address }: Model, { servers: { baseUrl, endpoints } }: Plan): string {
  const url = address ?? endpointOf(endpoints, id)?.baseUrl ?? baseUrl;
  return url === undefined ? (id.split("/")[0] ?? id) : new URL(url).host;
}

/** Opens the run's calls; what comes of each is added to the tally. Throws UsageError where requests are out in batches that would be bought twice. */
function openRunCalls({ world, home, tally }: Work, once: Once<AnswerBook>): Calls {
  const { folder, replay, stops, emit, io } = world;
  const out = { folder, log: home.log, clock: io.clock, stops, tell: io.tell };
  return openCalls(world, once, {
    batching: replay === undefined ? openBatching(world.plan.servers, out) : undefined, // the log answers, however it was asked
    onReply(reply) {
      if (isFromStore(reply)) tally.fromStore += 1;
      if (isNews(tally, reply) && replay === undefined) noteAnswers(home, tally);
      emit({ kind: "call", usage: reply.usage, fromStore: isFromStore(reply) });
    },
    onCachedDraw: () => home.note({ cachedDraws: true }),
    onRetry: (error) => emit({ kind: "retry", error: error.message }),
  });
}

/** Adds who replied. Returns whether that is news: a model's name at its first reply, or the first reply by a batch. */
function isNews(tally: Tally, { model, usage }: ModelReply): boolean {
  const isNew = (model !== "" && !tally.answeredBy.has(model)) || (usage.batch === true && !tally.batch);
  if (model !== "") tally.answeredBy.add(model);
  if (usage.batch === true) tally.batch = true;
  return isNew;
}

/** Puts into the log who answered, from the first reply on: the last process may send nothing. */
function noteAnswers(home: RunFolder, { answeredBy, batch }: Tally): void {
  home.note({ answeredBy: [...answeredBy].sort(), ...(batch ? { batch } : {}) });
}

/** Asks each server for a tool call where arms need them. Returns why the run must not begin. */
async function probeServers({ world, home, tally }: Work, calls: Calls): Promise<unknown> {
  const refusal = await checkToolCalls(world, calls, (id, { usage }) => {
    tally.probes[id] ??= { day: timestamp(world.io).slice(0, 10), ...tokensOf(usage) };
  });
  if (tally.answeredBy.size > 0) noteAnswers(home, tally);
  return refusal;
}

/** What stands behind the methods of a run. */
interface EngineDependencies {
  readonly calls: Calls;
  readonly rows: Rows;
  readonly once: Once<AnswerBook>;
}

/** Returns the reason of an early end. */
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
    explain(error, asked) {
      if (!(error instanceof ReplayMiss)) return undefined;
      const missing = missText(asked, arms);
      misses.add(missing);
      tally.missed = [...misses].sort();
      return error.worded(`not in ${replay?.name}: ${missing}`);
    },
  });
}

/** `lamp2m rag, question q1: answer`. */
function missText({ arm: id, unit, question, phase }: CallOrigin, arms: readonly Arm[]): string {
  const arm = arms.find(({ spec }) => spec.id === id)!; // it asks
  const place = question === undefined ? (unit === "" ? "shared" : `user ${unit}`) : `question ${question}`;
  return `${armTitle(arm.spec, arms)}, ${place}: ${phase}`;
}

/** Questions in work at once where their calls wait for batches. */
const AT_WORK_IN_BATCHES = 4000;

/** The engine of a run, but for its arms. */
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
        : (plan.servers.concurrency ?? AT_WORK_IN_BATCHES),
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

/** Returns what arms work with. Arms of one embedder share its vectors. */
function armModels({ embedders, stops }: World, { calls, once }: EngineDependencies): (arm: Arm) => ArmModels {
  const { models } = calls;
  const kept = embedders.wrapped((one) => embeddedOnce(one, once, stops.kill));
  return ({ spec }) => {
    const further = Object.entries(furtherModels(spec)).map(([role, id]) => [role, models.get(id)!] as const); // opened with the plan
    return {
      model: models.get(spec.model)!, // arms are planned over these models
      further: Object.fromEntries(further),
      embedder: kept.of(spec.options).embedder,
      temperature: readOptions(runOptions, spec.options).temperature,
    };
  };
}
