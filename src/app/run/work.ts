import { dirname, join } from "node:path";
import { tokensOf } from "../../models/call-sums.js";
import { isFromStore } from "../../models/wrap/cached.js";
import { runArms } from "../../run/engine.js";
import type { EngineSettings } from "../../run/engine-settings.js";
import { damageLine } from "../../run/journal/set-aside.js";
import { isShard } from "../../run/plan/part.js";
import type { Arm, LoadedTask } from "../../run/plan/plan.js";
import type { RecordTaker, RunRows } from "../../run/run-rows.js";
import { artifactsFolder, fileArtifacts } from "../../run/stores/artifact-store.js";
import { timestamp } from "../common/timestamp.js";
import { keepFiles } from "./data/input-files.js";
import { equipment } from "./equipment.js";
import { plannedOpenings } from "./estimate/openings.js";
import { type Batching, openBatching, stillOut } from "./models/batching.js";
import { isCut } from "./models/cut-replies.js";
import { readModelRecords } from "./models/model-records.js";
import { openRunModels, type RunModels } from "./models/models.js";
import { openRunPurse, purseRemarks } from "./models/open-purse.js";
import { firstRefusal } from "./models/probe-agents.js";
import { triesWithoutReply, unknownAnswers } from "./models/tries.js";
import type { CallTally } from "./pilot/call-tally.js";
import { runPilot } from "./pilot/run-pilot.js";
import type { Prepared } from "./prepare.js";
import { progressOf } from "./progress.js";
import type { ReadyRun } from "./ready-run.js";
import { HeldRows } from "./records/held-rows.js";
import { GIVEN_UP, type ManifestSteps } from "./records/manifest-steps.js";
import { openRecords, type RunRecords } from "./records/open-records.js";
import { RunningScores } from "./records/running-scores.js";
import { preparesShared, SharedRows, WatchedCalls } from "./shared.js";

/** The reason why the run ended early, or undefined. Files are closed in every case. `fold`: is told of rows and units. */
export async function work(
  run: ReadyRun,
  { tally, steps, fold }: { readonly tally: CallTally; readonly steps: ManifestSteps; readonly fold: RecordTaker },
): Promise<unknown> {
  const { prepared } = run;
  await prepared.tools.check();
  if (prepared.replay !== undefined) steps.begin(); // before the records of an earlier replay are read
  const records = openRecords(run, fold);
  for (const one of records.damage) run.emit({ kind: "remark", line: damageLine(one) });
  try {
    return await workOn(records, run, tally, steps);
  } finally {
    records.close();
  }
}

// --- internal ---

async function workOn(records: RunRecords, run: ReadyRun, tally: CallTally, steps: ManifestSteps): Promise<unknown> {
  const { prepared, settings, folder, stops, emit, io } = run;
  const { stop, kill } = stops;
  const { tools, embedders, replay, part } = prepared;
  const { rows, store, searches, attempts, batches: log, handed } = records;
  const alone = part !== undefined && !isShard(part); // what all users share, and nothing else
  const arms = alone ? prepared.arms.filter((arm) => preparesShared(arm, embedders)) : prepared.arms;
  tools.keepSearches(searches);
  tally.idle = steps.whole && (alone ? records.damage.length === 0 : isIdle(arms, records));
  for (const line of attempts === undefined ? [] : unknownAnswers(attempts.before)) emit({ kind: "remark", line });
  let models: RunModels | undefined;
  const scores = new RunningScores(folder, arms, (cell, question) => rows.isDone(cell, question));
  emit({
    kind: "started",
    folder,
    arms: alone ? [] : progressOf(arms, rows),
    waiting: () => models?.waiting() ?? [],
    inFlight: () => models?.inFlight() ?? 0,
    spentUsd: () => models?.spentUsd(),
    score: (cell) => scores.of(cell),
  });
  const purse = replay === undefined ? openRunPurse(run) : undefined;
  let batching: Batching | undefined;
  const tell = (line: string): void => emit({ kind: "remark", line });
  try {
    batching =
      log === undefined
        ? undefined
        : openBatching(settings, { folder, log, idle: tally.idle, clock: io.clock, stops, tell });
    models = openRunModels(prepared.models, settings, store, {
      clock: io.clock,
      env: io.env,
      attempts,
      sharedPurse: purse,
      stop,
      batching,
      handed,
      onCall(cached) {
        if (cached) tally.fromStore += 1;
      },
      onReply(reply) {
        steps.answered(reply.model, reply.usage.batch === true);
        tally.replies += 1;
        if (isCut(reply)) tally.cut += 1;
        emit({ kind: "call", usage: reply.usage, fromStore: isFromStore(reply) });
      },
      onRetry: () => emit({ kind: "retry" }),
      tell,
    });
    if (replay === undefined) {
      if (steps.whole) steps.begin(); // what is asked next is stored behind the sealed records
      if (!tally.idle) {
        await readModelRecords(prepared.models, { signal: kill, nowMs: io.clock.now(), tell });
        if (batching === undefined) await models.readSlots(kill);
      }
      const refusal =
        tally.idle || alone
          ? undefined
          : await firstRefusal(arms, models, stops, (id, usage) => {
              tally.probes[id] ??= { day: timestamp(io).slice(0, 10), ...tokensOf(usage) };
            });
      if (!steps.whole) steps.begin();
      if (refusal !== undefined) return refusal;
      if (alone && tally.idle) return undefined;
    }
    const artifacts = fileArtifacts(join(dirname(folder), artifactsFolder), { clock: io.clock });
    keepFiles(prepared.files, artifacts);
    const opened = models;
    const calls = new WatchedCalls();
    const openings = await plannedOpenings(tally.idle ? [] : arms, prepared, settings, { ...records, artifacts });
    const held = new HeldRows(rows, (row) => scores.add(row));
    const engine: Omit<EngineSettings, "arms" | "draws"> = {
      equip: equipment({ models, embedders, records, part, calls, gauges: tally.gauges, openings, arms }),
      tool: tools.tool,
      concurrency: settings.batch?.atWork ?? (({ cell }) => ({ of: cell.model, width: opened.widthOf(cell.model) })),
      clock: io.clock,
      ...(batching === undefined ? {} : { waits: batching.waits }),
      online: settings.online && !alone,
      rows: alone ? new SharedRows(rows) : held,
      artifacts,
      files: prepared.files,
      stop,
      kill,
      ...(alone ? {} : { onQuestion: ({ cell }, outcome) => emit({ kind: "question", cell: cell.id, outcome }) }),
      ...(replay === undefined ? {} : { explain: replay.explain }),
    };
    const settled = (some: readonly Arm[], draws: (arm: Arm) => boolean) =>
      runArms({ ...engine, arms: some, draws }).finally(() => held.end(stop.signal.reason));
    const working = new AbortController();
    const counting = Promise.allSettled([tally.idle ? undefined : steps.count(working.signal)]);
    let reason: unknown;
    try {
      const early = await runPilot(run, {
        arms,
        work: (some) => settled(some, () => false),
        sent: () => models?.sent() ?? 0,
        seen: () => models?.seen() ?? [],
        onFound: (found) => {
          tally.pilot = found;
        },
      });
      reason = early ?? (await settled(arms, ({ loaded }) => drawnHere(loaded, prepared)));
      working.abort();
    } catch (error) {
      working.abort(GIVEN_UP); // the folder may be another's soon
      await counting;
      throw error;
    }
    const [counted] = await counting;
    const why = reason ?? calls.failure;
    if (why === undefined && counted.status === "rejected") throw counted.reason;
    if (why === undefined) {
      steps.beforeFinish();
      rows.finish(tally.idle);
    }
    return why;
  } finally {
    tally.sent = models?.sent() ?? 0;
    tally.seen = models?.seen() ?? [];
    tally.withoutReply = models === undefined || replay !== undefined ? [] : triesWithoutReply(models.ends);
    if (purse !== undefined) tally.withoutReply = [...tally.withoutReply, ...purseRemarks(purse, settings.purse)];
    tally.withoutReply = [...tally.withoutReply, ...stillOut(batching?.batches.linesOut ?? 0)];
    purse?.close();
    emit({ kind: "stopped" });
    await prepared.commands.close();
  }
}

/** Whether every question is answered and every user prepared, and nothing was damaged. */
const isIdle = (arms: readonly Arm[], { rows, damage }: RunRecords): boolean =>
  damage.length === 0 && arms.every((arm) => isDone(arm, rows));

function isDone({ cell, loaded }: Arm, rows: RunRows): boolean {
  for (const { id, examples } of loaded.units) {
    const done = examples.every(({ question }) => rows.isDone(cell.id, question.id));
    if (!done || !rows.isPrepared(cell.id, id)) return false;
  }
  return true;
}

/** Pictures are of a data set's first user: one shard draws them. */
const drawnHere = ({ task, units }: LoadedTask, { loaded }: Prepared): boolean =>
  units.length > 0 && loaded.find((whole) => whole.task === task)?.units.at(0)?.id === units.at(0)?.id;
