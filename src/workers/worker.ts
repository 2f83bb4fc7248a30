import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { BudgetError, ModelError, UsageError } from "../errors.js";
import { onAbort, realTimer } from "../net/deadline.js";
import { AnswerBook } from "../outside/answers.js";
import { openCalls } from "../outside/calls.js";
import { Once } from "../outside/once.js";
import { Interrupted, openStops } from "../outside/stops.js";
import type { Io } from "../plan/io.js";
import type { StopSignals } from "../plan/settings.js";
import { unitEngine } from "../run/engine.js";
import { checkToolCalls } from "../run/probe.js";
import { engineOf } from "../run/run.js";
import type { World } from "../run/world.js";
import { countOf } from "../text/count.js";
import { messageOf } from "../text/file-trouble.js";
import { type Database, isUnreachable, openDatabase, type SharedRun } from "./database.js";
import { openOpQueue } from "./op-queue.js";
import { type Allowed, openPlan } from "./plan.js";
import { openUserWorker, type UserJob } from "./queue.js";
import { openShared, type Shared } from "./shared.js";

/** Entry that follows all entries of a user. */
export type DoneEntry = { readonly t: "done" } & Pick<UserJob, "arm" | "unit">;

export interface WorkerSettings extends Allowed {
  /** Address of the database. Default: LAMP_EVAL_WORKERS. */
  readonly workers?: string | undefined;
  readonly drainSeconds?: number | undefined;
}

const POLL_MS = 1_000;
const HEARTBEAT_MS = 3_000;
/** The run ends if so many workers died or hung while they worked on one user. Preempted machines should not end it. */
const MAX_DEATHS = 6;
const OPEN_RUNS = "select * from lamp_eval.run where state = 'open' order by id";

/** Works on open runs, one after the other, until a signal ends it. Throws UsageError if the database cannot be used. */
export async function work(settings: WorkerSettings, io: Io, signals: StopSignals): Promise<void> {
  const stops = openStops(signals, realTimer);
  const release = stops.drainWithin((settings.drainSeconds ?? 30) * 1000);
  const { asked: signal, kill } = stops;
  const database = await openDatabase(settings.workers, io, kill);
  /** Unique, also among workers of one machine: `gpu1-9f3a01c2`. */
  const id = `${hostname().split(".")[0]}-${randomUUID().slice(0, 8)}`;
  const refused = new Set<string>();
  io.tell(`worker ${id}: waiting for runs at ${database.shown}`);
  try {
    while (!signal.aborted) {
      const run = (await database.query<SharedRun>(OPEN_RUNS)).find((one) => !refused.has(one.id));
      try {
        if (run === undefined) await io.clock.sleep(POLL_MS, signal).catch(() => undefined);
        else {
          const world = await openPlan(run.plan, settings, { ...io, signal, kill });
          await workOn(world, { run: run.id, id, database });
        }
      } catch (error) {
        if (isUnreachable(error)) continue;
        if (!(error instanceof UsageError) || run === undefined) throw error;
        refused.add(run.id);
        io.tell(`${run.id}: this worker cannot work on it: ${error.message}`);
      }
    }
  } finally {
    release();
    await database.close();
  }
}

/** A worker of a run. */
interface RunWorker {
  readonly run: string;
  readonly id: string;
  readonly database: Database;
}

/** Works on a run until it is not open any more, or a signal ends the worker. Throws UsageError on a run that this worker may not do. */
async function workOn(world: World, { run, id, database }: RunWorker): Promise<void> {
  const { arms, io, stops, programs } = world;
  const stopWorker = (): void => stops.stop.abort(new Interrupted());
  const ops = openOpQueue(world, (batch) => database.apply(run, id, batch));
  const leaving = new AbortController();
  const sendHeartbeats = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      if ((await database.beat(run, id)) !== "open") stopWorker();
      await io.clock.sleep(HEARTBEAT_MS, leaving.signal).catch(() => undefined);
    }
  };
  const heartbeats = sendHeartbeats().catch(stopWorker);
  /** Stops all workers of the run. */
  const endRun = async (reason: unknown): Promise<void> => {
    await database.stop(run, "ended", whyOf(reason, id));
    stopWorker();
  };
  try {
    const { calls, engine } = await openEngine(world, openShared(ops, io.clock, stops.stop.signal), endRun);
    const width = Math.max(...arms.map(({ spec }) => calls.widthOf(spec.model)));
    let done = 0;
    const workOnUser = async (user: UserJob, deaths: number): Promise<void> => {
      try {
        stops.stop.signal.throwIfAborted();
        await engine.work(...userOf(user, arms, deaths));
      } catch (error) {
        if (!(error instanceof Interrupted)) await endRun(error);
        throw error;
      }
      const { arm, unit } = user;
      await ops.ask({ op: "log", content: JSON.stringify({ t: "done", arm, unit } satisfies DoneEntry) });
      done += 1;
    };
    const queue = await openUserWorker({ run, pool: database.pool, concurrency: width }, workOnUser);
    io.tell(`${run}: at work, ${countOf(width, "user")} at a time`);
    await aborted(stops.stop.signal);
    const closing = [() => queue.close(), () => engine.close(), () => ops.flushed()];
    for (const close of closing) await Promise.race([close(), aborted(stops.kill)]);
    io.tell(`${run}: ${countOf(done, "user")} done here`);
  } catch (error) {
    if (!stops.stop.signal.aborted) throw error;
  } finally {
    leaving.abort();
    await heartbeats;
    const leave = "delete from lamp_eval.worker where run = $1 and id = $2";
    await database.query(leave, run, id).catch(() => undefined); // without heartbeats it is deleted, too
    await programs.close();
  }
}

/** Opens the calls and the engine of a run, and checks tools and tool calls. `endRun`: called if a check fails. */
async function openEngine(world: World, shared: Shared, endRun: (reason: unknown) => Promise<void>) {
  const { arms, stops, tools } = world;
  const once = new Once(new AnswerBook(shared.log, [], shared.answers));
  const calls = openCalls(world, once, { sharedBudget: shared.budget, pace: shared.pace });
  await tools.check();
  const refusal = await checkToolCalls(world, calls);
  if (refusal !== undefined && !stops.stop.signal.aborted) await endRun(refusal);
  const rows = { row: () => {}, unit: () => {}, trace: () => {} }; // the run's process makes the rows
  const engine = engineOf(world, { calls, rows, once });
  return { calls, engine: unitEngine({ ...engine, arms }) };
}

/** Returns arm and unit of a job. Throws UsageError if the plan lacks it, or too many workers died while they worked on it. */
function userOf({ arm: id, unit: name, at }: UserJob, arms: World["arms"], deaths: number) {
  const arm = arms.find(({ spec }) => spec.id === id);
  const unit = arm?.loaded.units.at(at);
  if (arm === undefined || unit?.id !== name) throw new UsageError(`user ${name} of arm ${id} is not in the plan`);
  const { method, task } = arm.spec;
  if (deaths < MAX_DEATHS) return [arm, unit] as const;
  throw new UsageError(`${deaths} workers died or hung while they worked on user ${name} of ${method} on ${task}`);
}

const aborted = (signal: AbortSignal): Promise<void> => new Promise((resolve) => onAbort(signal, resolve));

/** Returns the reason of a run's end as JSON, for the database. */
function whyOf(reason: unknown, worker: string): string {
  if (reason instanceof BudgetError) return JSON.stringify({ kind: "cap", message: reason.message });
  const kind = reason instanceof ModelError ? reason.scope : "mistake";
  return JSON.stringify({ kind, message: `worker ${worker}: ${messageOf(reason)}` });
}

/** Returns the error that `whyOf` has described. */
export function endReasonOf(why: string | null): Error {
  const { kind, message } = JSON.parse(why ?? "{}"); // a worker of this version wrote it
  if (kind === "cap") return new BudgetError(message);
  return kind === "mistake" ? new UsageError(message) : new ModelError(message, { retryable: false, scope: kind });
}
