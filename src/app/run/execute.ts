import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readText } from "../../disk/whole-file.js";
import { tokensOf } from "../../models/call-sums.js";
import type { SeenRates } from "../../models/rate/desk.js";
import { isFromStore } from "../../models/wrap/cached.js";
import { artifactsFolder, fileArtifacts } from "../../run/artifact-store.js";
import { runArms } from "../../run/engine.js";
import type { EngineSettings } from "../../run/engine-settings.js";
import { type Manifest, writeManifest } from "../../run/manifest.js";
import { isShard } from "../../run/part.js";
import type { Arm, LoadedTask } from "../../run/plan.js";
import { latestRows, type RunRows, requestsByCell, runFiles } from "../../run/run-rows.js";
import { atWork, keptInOrder, refuseBrokenSeals, sealRun } from "../../run/seals.js";
import { damageLine } from "../../run/set-aside.js";
import { nounOf } from "../../text/count.js";
import { timestamp } from "../common/timestamp.js";
import { clearReplay, concludeReplay } from "../replay/folder.js";
import { writeResults } from "../report/results.js";
import { type Batching, openBatching, stillOut } from "./batching.js";
import { cutReplies, isCut } from "./cut-replies.js";
import { ending, failuresOf } from "./ending.js";
import { endpointsOf, recallEndpoints, withNotApplied } from "./endpoints.js";
import { equipment } from "./equipment.js";
import { HeldRows } from "./held-rows.js";
import { keepFiles } from "./input-files.js";
import { readModelRecords } from "./model-records.js";
import { openRunModels, type RunModels } from "./models.js";
import { openManifest } from "./open-manifest.js";
import { openRunPurse, purseRemarks } from "./open-purse.js";
import { openRecords, type RunRecords } from "./open-records.js";
import { plannedOpenings } from "./openings.js";
import { partRemarks } from "./parts.js";
import type { PilotFindings } from "./pilot-findings.js";
import type { Prepared } from "./prepare.js";
import { firstRefusal } from "./probe-agents.js";
import { progressOf } from "./progress.js";
import { rateLines, ratesOf } from "./rates.js";
import type { ReadyRun } from "./ready-run.js";
import type { RunResult } from "./result.js";
import { runPilot } from "./run-pilot.js";
import { RunningScores } from "./running-scores.js";
import { preparesShared, SharedRows, WatchedCalls } from "./shared.js";
import { TokenGauges } from "./token-gauges.js";
import { triesWithoutReply, unknownAnswers } from "./tries.js";

/** What the calls of this process came to. */
interface CallTally {
  /** Billable tries. */
  sent: number;
  fromStore: number;
  /** All replies, and those that ended at their limit of tokens with no text of an answer. */
  replies: number;
  cut: number;
  /** What is to be said of tries that brought no reply, and of a purse that others share. */
  withoutReply: readonly string[];
  /** What was learned of the servers' limits. */
  seen: readonly SeenRates[];
  readonly answeredBy: Set<string>;
  pilot?: PilotFindings;
  readonly gauges: TokenGauges;
  /** What was spent to find out what the endpoints take, by model id. */
  probes: NonNullable<Manifest["probes"]>;
  /** Whether a reply came by a batch, ever. */
  batch: boolean;
  /** Nothing was left to do in a finished run: its seals stay as they are. */
  idle: boolean;
}

/** What becomes of the seals of a run that had ended before. */
interface SealSteps {
  /** Every sealed record is there as it was. */
  readonly whole: boolean;
  /** All checks are passed, records will be written. */
  begin(): void;
  /** A reply has come from a model of this name: written down at its first, the last process may send nothing. */
  answered(model: string, batch: boolean): void;
  /** All work is done, files will be put in order. Throws UsageError where sealed records were changed meanwhile. */
  beforeFinish(): void;
}

/** Runs or resumes, and writes the tables. */
export async function executeRun(run: ReadyRun): Promise<RunResult> {
  const { prepared, settings, folder, emit, io } = run;
  const opened = openManifest(run);
  const manifest = atWork(folder, opened);
  const { mending: _mended, kept: _kept, ...ended } = manifest;
  const tally: CallTally = {
    sent: 0,
    fromStore: 0,
    replies: 0,
    cut: 0,
    withoutReply: [],
    seen: [],
    answeredBy: new Set(manifest.answeredBy),
    gauges: new TokenGauges(manifest.bytesPerToken),
    probes: { ...manifest.probes },
    batch: manifest.batch === true,
    idle: false,
  };
  const { replay } = prepared;
  const shown = relative(io.cwd, folder) || ".";
  recallEndpoints(prepared.models, manifest);
  const byBatch = () => (tally.batch ? { batch: true as const } : {});
  const answering = () => ({
    ...(tally.answeredBy.size === 0 ? {} : { answeredBy: [...tally.answeredBy].sort(), ...byBatch() }),
    ...endpointsOf(prepared.models, manifest, settings.baseUrl, timestamp(io)),
  });
  let begun = false;
  const seals: SealSteps = {
    whole: opened.records !== undefined && manifest.mending === undefined,
    begin() {
      if (replay !== undefined) clearReplay(folder);
      writeManifest(folder, tally.idle ? opened : { ...manifest, ...answering() });
      begun = true;
    },
    answered(model, batch) {
      const isNews = (model !== "" && !tally.answeredBy.has(model)) || (batch && !tally.batch);
      if (!isNews) return;
      if (model !== "") tally.answeredBy.add(model);
      if (batch) tally.batch = true;
      if (begun && !tally.idle) writeManifest(folder, { ...manifest, ...answering() });
    },
    beforeFinish() {
      if (tally.idle || manifest.kept === undefined) return;
      refuseBrokenSeals(folder, shown, manifest);
      writeManifest(folder, { ...manifest, ...answering(), ...keptInOrder(folder, manifest) });
    },
  };
  const reason = await work(run, tally, seals);
  const facts = () => {
    const finishedAt = timestamp(io);
    if (tally.idle) return { finishedAt };
    return { finishedAt, requests: requestsByCell(folder), ...sealRun(folder, manifest, finishedAt) };
  };
  const finished = reason === undefined ? facts() : {};
  const tell = (line: string): void => emit({ kind: "remark", line });
  const replayed = replay === undefined ? undefined : concludeReplay(replay, { folder, shown }, tell);
  writeManifest(folder, {
    ...(tally.idle ? opened : reason === undefined ? ended : manifest),
    ...finished,
    answeredBy: [...tally.answeredBy].sort(),
    ...tally.gauges.facts(),
    ...(Object.keys(tally.probes).length === 0 ? {} : { probes: tally.probes }),
    ...byBatch(),
    ...(replay === undefined && !tally.idle
      ? {
          ...endpointsOf(prepared.models, manifest, settings.baseUrl, timestamp(io)),
          tasks: withNotApplied(manifest.tasks, prepared.models),
        }
      : {}),
    ...(tally.sent === 0 ? {} : ratesOf(tally.seen)),
    ...(replayed === undefined ? {} : { replay: replayed }),
  });
  const before = textIfThere(join(folder, runFiles.json));
  const { manifest: written, summaries, rows, files, terminal } = writeResults(folder, settings.catalogue);
  const questions = summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  const json = files[runFiles.json];
  const isOutdated = before !== json && existsSync(join(folder, runFiles.page));
  const stale = reason === undefined && (replayed?.stale ?? 0) > 0;
  const end = stale ? { ended: "stale" as const, remarks: [] } : ending(reason, { questions, failed, shown }, settings);
  const showsTables = (questions > 0 && end.ended !== "pilot") || (reason === undefined && prepared.part === undefined);
  return {
    ended: end.ended,
    folder,
    catalogue: settings.catalogue,
    manifest: written,
    summaries,
    get rows() {
      return latestRows(folder);
    },
    tables: { text: showsTables ? terminal : "", json }, // a table of dashes says nothing
    calls: { sent: tally.sent, fromStore: tally.fromStore },
    ...(tally.pilot === undefined ? {} : { pilot: tally.pilot }),
    remarks: [
      ...failuresOf(rows, shown),
      ...(isOutdated ? [`${runFiles.page} and charts are of before: lamp-eval report ${shown} --figures --html`] : []),
      `${tally.sent} ${nounOf(tally.sent, "call")} sent, ${tally.fromStore} ${nounOf(tally.fromStore, "reply", "replies")} from the store; everything is in ${shown}`,
      ...tally.withoutReply,
      ...rateLines(tally.seen),
      ...cutReplies(tally),
      ...end.remarks,
      ...partRemarks(prepared.part, reason === undefined, shown),
    ],
  };
}

// --- internal ---

/** Undefined where there is no such file. */
const textIfThere = (path: string): string | undefined => (existsSync(path) ? readText(path) : undefined);

/** The reason why the run ended early, or undefined. Files are closed in every case. */
async function work(run: ReadyRun, tally: CallTally, seals: SealSteps): Promise<unknown> {
  const { prepared } = run;
  await prepared.tools.check();
  if (prepared.replay !== undefined) seals.begin(); // before the records of an earlier replay are read
  const records = openRecords(run);
  for (const one of records.damage) run.emit({ kind: "remark", line: damageLine(one) });
  try {
    return await workOn(records, run, tally, seals);
  } finally {
    records.close();
  }
}

async function workOn(records: RunRecords, run: ReadyRun, tally: CallTally, seals: SealSteps): Promise<unknown> {
  const { prepared, settings, folder, stops, emit, io } = run;
  const { stop, kill } = stops;
  const { tools, embedders, replay, part } = prepared;
  const { rows, store, searches, attempts, batches: log, handed } = records;
  const alone = part !== undefined && !isShard(part); // what all users share, and nothing else
  const arms = alone ? prepared.arms.filter((arm) => preparesShared(arm, embedders)) : prepared.arms;
  tools.keepSearches(searches);
  tally.idle = seals.whole && (alone ? records.damage.length === 0 : isIdle(arms, records));
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
        seals.answered(reply.model, reply.usage.batch === true);
        tally.replies += 1;
        if (isCut(reply)) tally.cut += 1;
        emit({ kind: "call", usage: reply.usage, fromStore: isFromStore(reply) });
      },
      onRetry: () => emit({ kind: "retry" }),
      tell,
    });
    if (replay === undefined) {
      if (seals.whole) seals.begin(); // what is asked next is stored behind the sealed records
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
      if (!seals.whole) seals.begin();
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
    const early = await runPilot(run, {
      arms,
      work: (some) => settled(some, () => false),
      sent: () => models?.sent() ?? 0,
      seen: () => models?.seen() ?? [],
      onFound: (found) => {
        tally.pilot = found;
      },
    });
    const reason = early ?? (await settled(arms, ({ loaded }) => drawnHere(loaded, prepared)));
    const why = reason ?? calls.failure;
    if (why === undefined) {
      seals.beforeFinish();
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
