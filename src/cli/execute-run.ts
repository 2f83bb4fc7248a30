import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cachedEmbedder } from "../embedders/index.js";
import { BudgetError, ModelError } from "../errors.js";
import { priceOf } from "../models/prices.js";
import { gated } from "../models/wrap/gated.js";
import { layered } from "../models/wrap/layered.js";
import { seeded } from "../random/seeded.js";
import { artifactsFolder, fileArtifacts } from "../run/artifact-store.js";
import { Interrupted, runArms } from "../run/engine.js";
import { majorityFloor } from "../run/floor.js";
import { type Manifest, readManifest, refuseChangedPlan, writeManifest } from "../run/manifest.js";
import { ResponseStore } from "../run/response-store.js";
import { RunRows, requestsByCell, runFiles } from "../run/run-rows.js";
import { FileVectors, vectorsFile } from "../run/vector-store.js";
import type { Model, Usage } from "../types.js";
import { exitCodes } from "./exit-code.js";
import type { Io } from "./io.js";
import type { Prepared } from "./prepare-run.js";
import { probeAgents } from "./probe-agents.js";
import { openProgress } from "./progress.js";
import { loadResults, renderFolder } from "./report.js";
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
  const manifest = openManifest(prepared, place.folder, io);
  const paid: Paid = { sent: 0, fromStore: 0, answeredBy: new Set(manifest.answeredBy) };
  const begin = (): void => writeManifest(place.folder, manifest);
  const reason = await work(prepared, settings, place, paid, begin, io);
  const answeredBy = [...paid.answeredBy].sort();
  const finished = reason === undefined ? { finishedAt: timestamp(io), requests: requestsByCell(place.folder) } : {};
  writeManifest(place.folder, { ...manifest, ...finished, answeredBy });
  const results = loadResults(place.folder);
  const rendered = renderFolder(results);
  for (const [name, text] of Object.entries(rendered.files)) writeFileSync(join(place.folder, name), text);
  io.out(place.json ? (rendered.files["results.json"] ?? "").trimEnd() : rendered.terminal);
  const questions = results.summaries.reduce((sum, { counts }) => sum + counts.questions, 0);
  const failed = results.summaries.reduce((sum, { counts }) => sum + counts.failed, 0);
  io.err(`${paid.sent} calls sent, ${paid.fromStore} replies from the store; everything is in ${place.shown}`);
  return conclude(reason, questions === 0 ? 0 : failed / questions, settings, place, io);
}

// --- internal ---

function openManifest({ plan, loaded, provider, tools }: Prepared, folder: string, io: Io): Manifest {
  const old = readManifest(folder);
  if (old !== undefined) {
    refuseChangedPlan(folder, old.plan, plan);
    return old;
  }
  const git = gitState(io.cwd);
  const manifest: Manifest = {
    format: 1,
    plan,
    simulated: provider.simulated,
    tasks: loaded.map(({ task, dataset, units, others, remarks }) => {
      const floor = majorityFloor(task, units);
      const pool = others.size > 0 ? [`others: ${others.kind}`] : [];
      const left = plan.notApplied.map((name) => `${name} not applied`);
      return {
        task: task.name,
        title: task.title,
        dataset: dataset.name,
        remarks: [...remarks, ...pool, ...tools.remarks, ...left],
        ...(floor === undefined ? {} : { floor: { count: floor.count, values: { ...floor.values } } }),
      };
    }),
    argv: io.argv.map(withoutLogin),
    startedAt: timestamp(io),
    node: process.version,
    ...(git === undefined ? {} : { git }),
  };
  return manifest;
}

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
  const { arms, provider, tools, temperature } = prepared;
  const rows = new RunRows(folder);
  const store = new ResponseStore(join(folder, runFiles.responses));
  const vectors = prepared.keepVectors ? new FileVectors(join(folder, vectorsFile)) : undefined;
  const embedder = vectors === undefined ? prepared.embedder : cachedEmbedder(prepared.embedder, vectors);
  const stop = new AbortController();
  const kill = new AbortController();
  const releaseInterrupt = io.onInterrupt(() => {
    if (stop.signal.aborted) io.leave(exitCodes.interrupted);
    io.err("\ninterrupted: finishing the calls in flight; Ctrl-C again leaves at once");
    stop.abort(new Interrupted());
  });
  const progress = openProgress(arms, (arm) => rows.doneCount(arm.cell.id), io);
  const startedMs = io.clock.now();
  const price = (usage: Usage) => priceOf(provider.id, usage, startedMs);
  const inner = layered(gated(provider, stop), {
    unsupported: settings.unsupported,
    concurrency: settings.concurrency,
    store,
    clock: { now: io.clock.now, sleep: (ms, signal) => io.clock.sleep(ms, AbortSignal.any([signal, stop.signal])) },
    random: seeded(`${settings.seed}/jitter`),
    budget: {
      ...(settings.maxCalls === undefined ? {} : { maxCalls: settings.maxCalls }),
      ...(settings.maxUsd === undefined ? {} : { maxUsd: settings.maxUsd }),
      price,
      already: settings.maxCalls === undefined && settings.maxUsd === undefined ? none : spentBefore(store, price),
    },
    retry: { deadlineMs: settings.deadlineMs },
    observe: ({ cached, failed }) => {
      if (!failed) paid[cached ? "fromStore" : "sent"] += 1;
    },
    onRetry: () => progress.retry(),
  });
  const model: Model = {
    id: inner.id,
    capabilities: inner.capabilities,
    simulated: inner.simulated,
    async complete(request, signal) {
      const reply = await inner.complete(request, signal);
      paid.answeredBy.add(reply.model);
      progress.call(reply.usage);
      return reply;
    },
  };
  try {
    await tools.check();
    const refusal = await probeAgents(arms, model, kill.signal);
    begin();
    if (refusal !== undefined) return refusal;
    const { concurrency } = settings;
    const onQuestion = progress.question;
    const reason = await runArms({
      arms,
      model,
      embedder,
      tool: tools.tool,
      temperature,
      concurrency,
      clock: io.clock,
      online: settings.online,
      rows,
      artifacts: fileArtifacts(join(dirname(folder), artifactsFolder)),
      stop,
      kill: kill.signal,
      onQuestion,
    });
    if (reason === undefined) rows.finish();
    return reason;
  } finally {
    progress.stop();
    releaseInterrupt();
    rows.close();
    store.close();
    vectors?.close();
  }
}

const none = { calls: 0, usd: 0 };

/** Caps hold for the whole run: what earlier, interrupted processes got counts too. */
function spentBefore(
  store: ResponseStore,
  price: (usage: Usage) => number | undefined,
): { calls: number; usd: number } {
  let usd = 0;
  for (const key of store.keys()) usd += price(store.get(key)?.usage ?? { in: 0, out: 0 }) ?? 0;
  return { calls: store.size, usd };
}

function conclude(reason: unknown, failedShare: number, settings: RunSettings, { shown }: Place, io: Io): number {
  if (reason !== undefined) {
    const why = reason instanceof Error ? reason.message : "interrupted";
    const how = reason instanceof BudgetError ? "the same command and a higher cap" : "the same command";
    io.err(
      `stopped before the end: ${why}\nresume with ${how}; what is answered is in ${shown} and is not paid for again`,
    );
    if (reason instanceof Interrupted) return exitCodes.interrupted;
    return reason instanceof ModelError ? exitCodes.usage : exitCodes.failures;
  }
  if (failedShare <= settings.maxFailed) return exitCodes.done;
  io.err(
    `${(failedShare * 100).toFixed(1)} % of the questions failed, more than --max-failed ${settings.maxFailed}; the same command tries only those again`,
  );
  return exitCodes.failures;
}
