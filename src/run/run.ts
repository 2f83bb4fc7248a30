import { cachedEmbedder, type VectorStore } from "../embedders/cached.js";
import { endpointOf } from "../models/endpoints.js";
import { tokensOf } from "../models/tokens.js";
import { furtherModels } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import type { Model } from "../types/index.js";
import { ArmWarnings, armTitle } from "./arm-warnings.js";
import { repeatedCalls } from "./calls.js";
import { runArms } from "./engine.js";
import type { EngineSettings, Equipment, Rows } from "./engine-settings.js";
import type { RunFolder } from "./folder.js";
import { timestamp } from "./io.js";
import type { CallOrigin } from "./kit.js";
import type { Manifest } from "./manifest.js";
import { Answers, ReplayMiss, vectorsOf } from "./outside/answers.js";
import { openBatching } from "./outside/batching.js";
import { type Calls, firstRefusal, openCalls } from "./outside/online.js";
import { isFromStore } from "./outside/store.js";
import { runOptions, serverSettings } from "./plan/options.js";
import { drawing, drawsOf } from "./plan/roles.js";
import type { Arm, Plan } from "./plan/types.js";
import { RowFiles } from "./rows.js";
import { answered, isCut, openTally, type Tally, unknownAnswers } from "./tally.js";
import { version } from "./version.js";
import type { World } from "./world.js";

/** What workers have done of a run. */
export interface HandedOut {
  /** The run with the users that are done, whose calls are all answered by the log. */
  readonly run: World;
  /** Why the others are not; undefined where all are done. */
  readonly reason: unknown;
  /** Adds what the workers' calls came to. */
  count(tally: Tally): void;
}

/** Has workers do a run, or fetches what they have done of it; undefined: this process goes on by itself. */
export type HandOut = (run: World, home: RunFolder, answers: Answers) => Promise<HandedOut | undefined>;

/** The fact in the log of a run that workers may be at: where. Null once nothing of it is left there. */
export const WORKERS = "workers";

/** What came of a run. */
export interface Executed {
  /** Why it ended early; undefined where every question has its row. */
  readonly reason: unknown;
  readonly tally: Tally;
}

/**
 * Executes every arm: what the log knows is answered from it, what it lacks is asked, by workers where there are any. Notes what was
 * learned, and the end where all rows are made.
 */
export async function execute(world: World, home: RunFolder, manifest: Manifest, handOut?: HandOut): Promise<Executed> {
  const tally = openTally(manifest);
  const reason = await work({ world, home, tally }, handOut);
  if (reason !== undefined) return { reason, tally };
  const finishedAt = home.log.state.facts.get("finishedAt"); // a run whose rows are made again is no younger
  home.note({
    ...answerFacts(tally),
    answeredBy: [...tally.answeredBy].sort(),
    ...(Object.keys(tally.probes).length === 0 ? {} : { probes: tally.probes }),
    ...repeatedCalls(home.path, world.identity.cells),
    ...(tally.missed.length === 0 ? {} : { missed: tally.missed.length }),
    finishedAt: typeof finishedAt === "string" ? finishedAt : timestamp(world.io),
  });
  home.finish(tally.rows ?? "", version());
  return { reason, tally };
}

interface Work {
  readonly world: World;
  readonly home: RunFolder;
  readonly tally: Tally;
}

/** Returns the reason of an early end. */
async function work(all: Work, handOut?: HandOut): Promise<unknown> {
  const { world, home, tally } = all;
  const { arms, tools, programs, replay, reused, commands, folder, emit, io } = world;
  const { corrupt, money, facts } = home.log.state;
  const hasWorkers = world.workers !== undefined || (facts.get(WORKERS) ?? null) !== null;
  if (replay === undefined && world.workers === undefined) await tools.check();
  for (const line of corrupt) io.tell(`${home.log.path} line ${line}: corrupt; what it held is asked again`);
  for (const line of hasWorkers ? [] : unknownAnswers(money)) io.tell(line); // theirs may come yet
  for (const [path, text] of world.typedFiles) home.note({ [`file ${path}`]: text });
  const answers = new Answers(home.log, reused);
  tools.keepSearches(answers);
  programs.keepIn(answers);
  let calls: Calls | undefined;
  let handed: HandedOut | undefined;
  emit({
    kind: "started",
    folder: home.path,
    arms: arms.map(({ cell, loaded }) => ({ cell: cell.id, task: cell.task, questions: loaded.questions })),
    hosts: [...new Set(world.models.map((model) => hostOf(model, world.plan)))],
    waiting: () => calls?.servers.waiting() ?? [],
    inFlight: () => calls?.budget.inFlight ?? 0,
    spentUsd: () => calls?.spent()?.usd,
  });
  home.reopen();
  const rows = new RowFiles(folder);
  try {
    handed = hasWorkers ? await handOut?.(world, home, answers) : undefined;
    const here = { ...all, world: handed?.run ?? world };
    calls = callsOf(here, answers);
    const asksServers = replay === undefined && handed?.reason === undefined;
    const refusal = asksServers ? await readServers(here, calls) : undefined;
    const reason = refusal ?? (await askArms(here, { answers, calls, rows }));
    tally.rows = rows.finish();
    return handed?.reason ?? reason;
  } finally {
    rows.close();
    if (calls !== undefined && replay === undefined) tally.sum(calls);
    handed?.count(tally);
    emit({ kind: "stopped" });
    await commands.close();
  }
}

/** The host that a model is asked at; of a provider's own server the provider's name. */
function hostOf({ id, address }: Model, { baseUrl, endpoints }: Plan): string {
  const url = address ?? endpointOf(endpoints, id)?.baseUrl ?? baseUrl;
  return url === undefined ? (id.split("/")[0] ?? id) : new URL(url).host;
}

/** Opens the run's calls; what comes of each is added to the tally. Throws UsageError where requests are out in batches that would be bought twice. */
function callsOf(all: Work, answers: Answers): Calls {
  const { world, home, tally } = all;
  const { folder, replay, stops, emit, io } = world;
  const out = { folder, log: home.log, clock: io.clock, stops, tell: io.tell };
  return openCalls(world, answers, {
    batching: replay === undefined ? openBatching(world.plan, out) : undefined, // the log answers, however it was asked
    onReply(reply) {
      if (answered(tally, reply) && replay === undefined) home.note(answerFacts(tally));
      tally.replies += 1;
      if (isFromStore(reply)) tally.fromStore += 1;
      if (isCut(reply)) tally.cut += 1;
      emit({ kind: "call", usage: reply.usage, fromStore: isFromStore(reply) });
    },
    onRetry: (error) => emit({ kind: "retry", error: error.message }),
  });
}

/** Finds out what the models' servers say and take. Returns why the run must not begin. */
async function readServers(all: Work, calls: Calls): Promise<unknown> {
  const { world, home, tally } = all;
  const { stops, io } = world;
  const refusal = await firstRefusal(world.arms, calls, stops, (id, { usage }) => {
    tally.probes[id] ??= { day: timestamp(io).slice(0, 10), ...tokensOf(usage) };
  });
  home.note(answerFacts(tally));
  return refusal;
}

/** What the log says of who answered, from the first reply on: the last process may send nothing. */
const answerFacts = ({ answeredBy, batch }: Tally): Partial<Manifest> =>
  answeredBy.size === 0 ? {} : { answeredBy: [...answeredBy].sort(), ...(batch ? { batch } : {}) };

/** What stands behind the methods of a run. */
interface Outside {
  readonly calls: Calls;
  readonly rows: Rows;
  /** Undefined: vectors are made anew. */
  readonly vectors: VectorStore | undefined;
}

/** The engine of a run, but for its arms. */
export function engineOf(world: World, { calls, rows, vectors }: Outside): Omit<EngineSettings, "arms" | "onRow"> {
  const { tools, programs, files, plan, stops } = world;
  const { batching } = calls;
  return {
    equip: equipment(world, calls, vectors),
    tool: tools.tool,
    programs,
    concurrency:
      batching === undefined
        ? ({ cell }: Arm) => ({ of: cell.model, width: calls.widthOf(cell.model) })
        : (plan.concurrency ?? AT_WORK_IN_BATCHES),
    // A batch takes hours: users go out together, whatever the cap.
    ...(batching === undefined ? { used: () => calls.budget.used } : { waits: batching.waits }),
    online: plan.online,
    ...{ rows, files, stop: stops.stop, kill: stops.kill },
    deadlineSeconds: serverSettings(plan.set).deadlineSeconds,
  };
}

/** Questions in work at once where their calls wait for batches. */
const AT_WORK_IN_BATCHES = 4000;

/** What arms work with. Arms of one embedder share its vectors. */
function equipment({ arms, embedders }: World, { models }: Calls, vectors?: VectorStore): (arm: Arm) => Equipment {
  const kept = new Map(embedders.all.map((one) => [one, vectors === undefined ? one : cachedEmbedder(one, vectors)]));
  return (arm) => {
    const { cell } = arm;
    const embedder = embedders.of(cell.options);
    const further = Object.entries(furtherModels(cell)).map(([role, id]) => [role, models.get(id)!] as const); // opened with the plan
    return {
      model: drawing(models.get(cell.model)!, drawsOf(arm, arms)), // arms are planned over these models
      further: Object.fromEntries(further),
      embedder: embedders.isCostly(cell.options) ? kept.get(embedder)! : embedder,
      temperature: readOptions(runOptions, cell.options).temperature,
    };
  };
}

/** Returns the reason of an early end. */
function askArms(
  { world, tally }: Work,
  { answers, calls, rows }: { readonly answers: Answers; readonly calls: Calls; readonly rows: RowFiles },
): Promise<unknown> {
  const { arms, replay, emit } = world;
  const warnings = new ArmWarnings(arms, (text) => emit({ kind: "notice", level: "warning", text }));
  const misses = new Set<string>();
  return runArms({
    ...engineOf(world, { calls, rows, vectors: vectorsOf(answers) }),
    arms,
    onRow(row) {
      warnings.add(row);
      emit({ kind: "question", cell: row.cell, outcome: row.outcome });
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
function missText({ cell, unit, question, phase }: CallOrigin, arms: readonly Arm[]): string {
  const arm = arms.find((one) => one.cell.id === cell);
  const title = arm === undefined ? cell : armTitle(arm.cell, arms);
  const place = question === undefined ? (unit === "" ? "shared" : `user ${unit}`) : `question ${question}`;
  return `${title}, ${place}: ${phase}`;
}
