import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { exitCodes } from "../../cli/exit-code.js";
import { openProgress } from "../../cli/progress.js";
import type { Terminal } from "../../cli/terminal.js";
import { cachedEmbedder } from "../../embedders/index.js";
import { BudgetError, ModelError } from "../../errors.js";
import { readOptions } from "../../options.js";
import { artifactsFolder, fileArtifacts } from "../../run/artifact-store.js";
import { type Equipment, Interrupted, runArms } from "../../run/engine.js";
import { type Manifest, readManifest, refuseChangedPlan, writeManifest } from "../../run/manifest.js";
import { runOptions } from "../../run/options.js";
import type { Arm } from "../../run/plan.js";
import { recordHashes } from "../../run/record-hashes.js";
import { requestsByCell, runFiles } from "../../run/run-rows.js";
import type { FileVectors } from "../../run/vector-store.js";
import type { Model, Row } from "../../types.js";
import { clearReplay, concludeReplay, refuseOtherKind, replayRemarks } from "../replay/folder.js";
import { writeResults } from "../report/results.js";
import { timestamp } from "../timestamp.js";
import { gitState } from "../version.js";
import { withoutLogin } from "../without-login.js";
import { taskFacts } from "./data-facts.js";
import { openRunModels } from "./models.js";
import type { Embedders } from "./open-embedders.js";
import { openRecords, type RunRecords } from "./open-records.js";
import type { Prepared } from "./prepare.js";
import { probeAgents } from "./probe-agents.js";
import type { RunSettings } from "./settings.js";

interface Place {
  readonly folder: string;
  /** The folder as the person would type it. */
  readonly shown: string;
  readonly json: boolean;
}

/** What the calls of this process came to. */
interface Paid {
  sent: number;
  fromStore: number;
  readonly answeredBy: Set<string>;
}

interface Started {
  readonly prepared: Prepared;
  readonly settings: RunSettings;
  readonly place: Place;
  readonly paid: Paid;
  readonly io: Terminal;
}

/** Runs or resumes, writes the tables, says how it ended. Returns the exit code. */
export async function executeRun(
  prepared: Prepared,
  settings: RunSettings,
  place: Place,
  io: Terminal,
): Promise<number> {
  const { records: _old, ...manifest } = openManifest(prepared, settings, place.folder, io);
  const paid: Paid = { sent: 0, fromStore: 0, answeredBy: new Set(manifest.answeredBy) };
  const { replay } = prepared;
  const begin = (): void => {
    if (replay !== undefined) clearReplay(place.folder);
    writeManifest(place.folder, manifest);
  };
  const reason = await work({ prepared, settings, place, paid, io }, begin);
  const answeredBy = [...paid.answeredBy].sort();
  const facts = () => ({
    finishedAt: timestamp(io),
    requests: requestsByCell(place.folder),
    records: recordHashes(place.folder),
  });
  const finished = reason === undefined ? facts() : {};
  const replayed = replay === undefined ? undefined : concludeReplay(replay, place, io);
  writeManifest(place.folder, {
    ...manifest,
    ...finished,
    answeredBy,
    ...(replayed === undefined ? {} : { replay: replayed }),
  });
  const before = readText(join(place.folder, runFiles.json));
  const { summaries, rows, files, terminal } = writeResults(place.folder);
  const questions = summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  if (place.json) io.out(files[runFiles.json].trimEnd());
  else if (reason === undefined || questions > 0) io.out(terminal); // a table of dashes says nothing
  const failed = summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  for (const line of failuresOf(rows, place.shown)) io.tell(line);
  if (before !== files[runFiles.json] && existsSync(join(place.folder, runFiles.page)))
    io.tell(`${runFiles.page} and charts are of before: lamp-eval report ${place.shown} --figures --html`);
  io.tell(`${paid.sent} calls sent, ${paid.fromStore} replies from the store; everything is in ${place.shown}`);
  if (reason === undefined && replayed !== undefined && replayed.stale > 0) return exitCodes.gate["stale-cassette"];
  return conclude(reason, { questions, failed }, settings, place, io);
}

// --- internal ---

function openManifest(
  { plan, arms, loaded, models, embedders, tools, sweep, replay }: Prepared,
  { remarks }: RunSettings,
  folder: string,
  io: Terminal,
): Manifest {
  const old = readManifest(folder);
  refuseOtherKind(old, replay, folder);
  if (old !== undefined && replay === undefined && !isUntouched(folder)) {
    refuseChangedPlan(folder, old.plan, plan);
    return old;
  }
  const git = gitState(io.cwd);
  const manifest: Manifest = {
    format: 1,
    plan,
    simulated: models.some(({ simulated }) => simulated) || replay?.cassette.head.simulated === true,
    ...(sweep === undefined ? {} : { sweep }),
    tasks: loaded.map((data) =>
      taskFacts(data, [
        ...remarks,
        ...tools.remarks,
        ...replayRemarks(replay),
        ...plan.notApplied.map((name) => `${name} not applied`),
        ...methodRemarks(arms.filter((arm) => arm.loaded === data)),
      ]),
    ),
    embedders: embedders.costly.map((embedder) => ({ ...embedder })),
    ...(replay === undefined ? {} : { replay: { cassette: replay.cassette.id, stale: 0 } }),
    argv: io.argv.map(withoutLogin),
    startedAt: timestamp(io),
    node: process.version,
    ...(git === undefined ? {} : { git }),
  };
  return manifest;
}

/** What the methods say of their settings, each once. */
const methodRemarks = (arms: readonly Arm[]): string[] => [
  ...new Set(arms.flatMap(({ method, options }) => method.remarks?.(options) ?? [])),
];

/** Undefined where there is no such file. */
const readText = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

/** No reply and no row yet, as after a wrong key or model id: the folder binds nobody to its plan. */
const isUntouched = (folder: string): boolean =>
  [runFiles.responses, runFiles.rows].every((name) => {
    const path = join(folder, name);
    return !existsSync(path) || statSync(path).size === 0;
  });

/** The reason why the run ended early, or undefined. Files are closed in every case. `begin`: all checks are passed. */
async function work(run: Started, begin: () => void): Promise<unknown> {
  const { prepared, place, io } = run;
  const stop = new AbortController();
  const releaseInterrupt = stopOnInterrupt(stop, io);
  try {
    await prepared.tools.check();
    if (prepared.replay !== undefined) begin(); // before the records of an earlier replay are read
    const records = openRecords(place.folder, prepared);
    try {
      return await workOn(records, stop, run, begin);
    } finally {
      records.close();
    }
  } finally {
    releaseInterrupt();
  }
}

async function workOn(records: RunRecords, stop: AbortController, run: Started, begin: () => void): Promise<unknown> {
  const { prepared, settings, place, paid, io } = run;
  const { arms, tools, embedders, replay } = prepared;
  const { rows, store, searches, vectors } = records;
  const kill = new AbortController();
  tools.keepSearches((search) => searches.put(search));
  const progress = openProgress(arms, (arm) => rows.doneCount(arm.cell.id), io);
  try {
    const models = openRunModels(prepared.models, settings, store, {
      clock: io.clock,
      stop,
      onCall(cached) {
        paid[cached ? "fromStore" : "sent"] += 1;
      },
      onReply(reply) {
        paid.answeredBy.add(reply.model);
        progress.call(reply.usage);
      },
      onRetry: () => progress.retry(),
    });
    if (replay === undefined) {
      const refusal = await firstRefusal(arms, models, kill.signal);
      begin();
      if (refusal !== undefined) return refusal;
    }
    const reason = await runArms({
      arms,
      equip: equipment(models, embedders, vectors),
      tool: tools.tool,
      concurrency: settings.concurrency,
      clock: io.clock,
      online: settings.online,
      rows,
      artifacts: fileArtifacts(join(dirname(place.folder), artifactsFolder), { clock: io.clock }),
      stop,
      kill: kill.signal,
      onQuestion: progress.question,
      ...(replay === undefined ? {} : { explain: replay.explain }),
    });
    if (reason === undefined) rows.finish();
    return reason;
  } finally {
    progress.stop();
    await prepared.commands.close();
  }
}

/** The first Ctrl-C stops, the second leaves. Returns the release. */
const stopOnInterrupt = (stop: AbortController, io: Terminal): (() => void) =>
  io.onInterrupt(() => {
    if (stop.signal.aborted) io.leave(exitCodes.interrupted);
    io.tell("\ninterrupted: finishing the calls in flight; Ctrl-C again leaves at once");
    stop.abort(new Interrupted());
  });

/** Why one of the models cannot serve its arms; undefined where all can. */
async function firstRefusal(
  arms: readonly Arm[],
  models: ReadonlyMap<string, Model>,
  signal: AbortSignal,
): Promise<unknown> {
  for (const model of models.values()) {
    const own = arms.filter(({ cell }) => cell.model === model.id);
    const refusal = await probeAgents(own, model, signal);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Arms of one embedder share its vectors, in memory or on disk. */
function equipment(models: ReadonlyMap<string, Model>, embedders: Embedders, vectors: FileVectors | undefined) {
  const kept = new Map(
    embedders.all.map((embedder) => [embedder, vectors === undefined ? embedder : cachedEmbedder(embedder, vectors)]),
  );
  return ({ cell }: Arm): Equipment => {
    const embedder = embedders.of(cell.options);
    return {
      model: models.get(cell.model)!, // every arm is planned over these models
      embedder: embedders.isCostly(cell.options) ? kept.get(embedder)! : embedder,
      temperature: readOptions(runOptions, cell.options).temperature,
    };
  };
}

function conclude(
  reason: unknown,
  { questions, failed }: { readonly questions: number; readonly failed: number },
  { maxFailed }: RunSettings,
  { shown }: Place,
  io: Terminal,
): number {
  if (reason !== undefined) {
    const why = reason instanceof Error ? reason.message : "interrupted";
    io.tell(`stopped before the end: ${why}\n${wayOn(reason, questions, shown)}`);
    if (reason instanceof Interrupted) return exitCodes.interrupted;
    return reason instanceof ModelError ? exitCodes.usage : exitCodes.failures;
  }
  const share = questions === 0 ? 0 : failed / questions;
  if (share <= maxFailed) return exitCodes.done;
  io.tell(
    `${(share * 100).toFixed(1)} % of the questions failed, more than --max-failed ${maxFailed}; the same command tries only those again`,
  );
  return exitCodes.failures;
}

/** The reasons of failed questions, the most frequent first, and where to read more. */
function failuresOf(rows: readonly Row[], shown: string): string[] {
  const byError = new Map<string, { count: number; readonly question: string }>();
  for (const { outcome, question } of rows) {
    if (outcome.kind !== "failed") continue;
    const seen = byError.get(outcome.error) ?? { count: 0, question };
    seen.count += 1;
    byError.set(outcome.error, seen);
  }
  const [first, ...more] = [...byError].sort(([, a], [, b]) => b.count - a.count);
  if (first === undefined) return [];
  const [error, { count, question }] = first;
  const others = more.length === 0 ? "" : ` (and ${more.length} other reasons)`;
  return [`failed, ${count} times: ${error}${others}`, `more: lamp-eval show ${shown} --question ${question}`];
}

/** What to type next. A refused key or model id is no reason to type the same again. */
function wayOn(reason: unknown, questions: number, shown: string): string {
  const kept = `what is answered is in ${shown} and is not paid for again`;
  if (reason instanceof BudgetError) return `resume with the same command and a higher cap; ${kept}`;
  if (!(reason instanceof ModelError) || reason.scope !== "stop") return `resume with the same command; ${kept}`;
  return questions === 0 ? "nothing is answered yet: mend that and begin again" : `mend that and go on; ${kept}`;
}
