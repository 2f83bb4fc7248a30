import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cachedEmbedder } from "../embedders/index.js";
import { BudgetError, ModelError } from "../errors.js";
import { readOptions } from "../options.js";
import { artifactsFolder, fileArtifacts } from "../run/artifact-store.js";
import { CassetteStore } from "../run/cassette-store.js";
import { type Equipment, Interrupted, runArms } from "../run/engine.js";
import { type Manifest, readManifest, refuseChangedPlan, writeManifest } from "../run/manifest.js";
import { runOptions } from "../run/options.js";
import type { Arm } from "../run/plan.js";
import { recordHashes } from "../run/record-hashes.js";
import { ResponseStore } from "../run/response-store.js";
import { RunRows, requestsByCell, runFiles } from "../run/run-rows.js";
import { SearchLog, searchesFile } from "../run/search-log.js";
import { FileVectors, vectorsFile } from "../run/vector-store.js";
import type { Model } from "../types.js";
import { taskFacts } from "./data-facts.js";
import { exitCodes } from "./exit-code.js";
import type { Io } from "./io.js";
import type { Embedders } from "./open-embedders.js";
import type { Prepared } from "./prepare-run.js";
import { probeAgents } from "./probe-agents.js";
import { openProgress } from "./progress.js";
import { beginReplay, concludeReplay, refuseReplayed, replayRemarks } from "./replay-folder.js";
import { loadResults, renderFolder } from "./report.js";
import { openRunModels } from "./run-models.js";
import type { RunSettings } from "./run-settings.js";
import { gitState } from "./version.js";
import { withoutLogin } from "./without-login.js";

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

/** Runs or resumes, writes the tables, says how it ended. Returns the exit code. */
export async function executeRun(prepared: Prepared, settings: RunSettings, place: Place, io: Io): Promise<number> {
  const { records: _old, ...manifest } = openManifest(prepared, settings, place.folder, io);
  const paid: Paid = { sent: 0, fromStore: 0, answeredBy: new Set(manifest.answeredBy) };
  const { replay } = prepared;
  const begin = (): void => writeManifest(place.folder, manifest);
  const reason = await work(prepared, settings, place, paid, begin, io);
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
  const results = loadResults(place.folder);
  const rendered = renderFolder(results);
  for (const [name, text] of Object.entries(rendered.files)) writeFileSync(join(place.folder, name), text);
  const questions = results.summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  if (place.json) io.out((rendered.files["results.json"] ?? "").trimEnd());
  else if (reason === undefined || questions > 0) io.out(rendered.terminal); // a table of dashes says nothing
  const failed = results.summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  io.err(`${paid.sent} calls sent, ${paid.fromStore} replies from the store; everything is in ${place.shown}`);
  if (reason === undefined && replayed !== undefined && replayed.stale > 0) return exitCodes.gate["stale-cassette"];
  return conclude(reason, { questions, failed }, settings, place, io);
}

// --- internal ---

function openManifest(
  { plan, loaded, models, embedders, tools, sweep, replay }: Prepared,
  { remarks }: RunSettings,
  folder: string,
  io: Io,
): Manifest {
  const old = replay === undefined ? readManifest(folder) : beginReplay(folder);
  refuseReplayed(old, folder);
  if (old !== undefined && !isUntouched(folder)) {
    refuseChangedPlan(folder, old.plan, plan);
    return old;
  }
  const git = gitState(io.cwd);
  const manifest: Manifest = {
    format: 1,
    plan,
    simulated: models.some(({ simulated }) => simulated) || replay?.cassette.head.simulated === true,
    ...(sweep === undefined
      ? {}
      : { sweep: { ...sweep, axes: sweep.axes.map((axis) => ({ ...axis, values: [...axis.values] })) } }),
    tasks: loaded.map((data) =>
      taskFacts(data, [
        ...remarks,
        ...tools.remarks,
        ...replayRemarks(replay),
        ...plan.notApplied.map((name) => `${name} not applied`),
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

/** No reply and no row yet, as after a wrong key or model id: the folder binds nobody to its plan. */
const isUntouched = (folder: string): boolean =>
  [runFiles.responses, runFiles.rows].every((name) => {
    const path = join(folder, name);
    return !existsSync(path) || statSync(path).size === 0;
  });

const timestamp = (io: Io): string => new Date(io.clock.now()).toISOString();

/** The reason why the run ended early, or undefined. Files are closed in every case. `begin`: all checks are passed. */
async function work(
  prepared: Prepared,
  settings: RunSettings,
  { folder }: Place,
  paid: Paid,
  begin: () => void,
  io: Io,
): Promise<unknown> {
  const { arms, tools, embedders, replay } = prepared;
  const rows = new RunRows(folder);
  const responses = join(folder, runFiles.responses);
  const store = replay === undefined ? new ResponseStore(responses) : new CassetteStore(responses, replay.cassette);
  const searches = new SearchLog(join(folder, searchesFile));
  tools.keepSearches((search) => searches.put(search));
  const vectors = arms.some(({ cell }) => embedders.isCostly(cell.options))
    ? new FileVectors(join(folder, vectorsFile))
    : undefined;
  const stop = new AbortController();
  const kill = new AbortController();
  const releaseInterrupt = io.onInterrupt(() => {
    if (stop.signal.aborted) io.leave(exitCodes.interrupted);
    io.err("\ninterrupted: finishing the calls in flight; Ctrl-C again leaves at once");
    stop.abort(new Interrupted());
  });
  const progress = openProgress(arms, (arm) => rows.doneCount(arm.cell.id), io);
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
  try {
    await tools.check();
    for (const model of models.values()) {
      const own = arms.filter(({ cell }) => cell.model === model.id);
      const refusal = replay === undefined ? await probeAgents(own, model, kill.signal) : undefined;
      if (refusal === undefined) continue;
      begin();
      return refusal;
    }
    begin();
    const { concurrency } = settings;
    const onQuestion = progress.question;
    const reason = await runArms({
      arms,
      equip: equipment(models, embedders, vectors),
      tool: tools.tool,
      concurrency,
      clock: io.clock,
      online: settings.online,
      rows,
      artifacts: fileArtifacts(join(dirname(folder), artifactsFolder), { clock: io.clock }),
      stop,
      kill: kill.signal,
      onQuestion,
      ...(replay === undefined ? {} : { explain: replay.explain }),
    });
    if (reason === undefined) rows.finish();
    return reason;
  } finally {
    progress.stop();
    await prepared.commands.close();
    releaseInterrupt();
    rows.close();
    store.close();
    searches.close();
    vectors?.close();
  }
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
  io: Io,
): number {
  if (reason !== undefined) {
    const why = reason instanceof Error ? reason.message : "interrupted";
    io.err(`stopped before the end: ${why}\n${wayOn(reason, questions, shown)}`);
    if (reason instanceof Interrupted) return exitCodes.interrupted;
    return reason instanceof ModelError ? exitCodes.usage : exitCodes.failures;
  }
  const share = questions === 0 ? 0 : failed / questions;
  if (share <= maxFailed) return exitCodes.done;
  io.err(
    `${(share * 100).toFixed(1)} % of the questions failed, more than --max-failed ${maxFailed}; the same command tries only those again`,
  );
  return exitCodes.failures;
}

/** What to type next. A refused key or model id is no reason to type the same again. */
function wayOn(reason: unknown, questions: number, shown: string): string {
  const kept = `what is answered is in ${shown} and is not paid for again`;
  if (reason instanceof BudgetError) return `resume with the same command and a higher cap; ${kept}`;
  if (!(reason instanceof ModelError) || reason.scope !== "stop") return `resume with the same command; ${kept}`;
  return questions === 0 ? "nothing is answered yet: mend that and begin again" : `mend that and go on; ${kept}`;
}
