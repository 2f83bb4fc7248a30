import { BudgetError, ModelError, UsageError } from "../errors.js";
import { onAbort } from "../net/deadline.js";
import { knownSecrets } from "../net/known.js";
import { handedOut, Interrupted } from "../run/engine.js";
import type { Io } from "../run/io.js";
import { Answers } from "../run/outside/answers.js";
import { openCalls } from "../run/outside/online.js";
import { firstRefusal } from "../run/outside/probe.js";
import { engineOf } from "../run/run.js";
import type { World } from "../run/world.js";
import { countOf } from "../text/count.js";
import type { Board, BoardRun } from "./board.js";
import { Exchange } from "./exchange.js";
import { type Allowed, openPlan } from "./plan.js";
import { keyOfUser, openUserWorker, type UserJob } from "./queue.js";
import { openShared, type Shared, sharedEmbedder } from "./shared.js";

/** The last entry of a user: all entries of its calls stand before it. */
export type DoneEntry = { readonly t: "done" } & Pick<UserJob, "cell" | "unit">;

/** What a worker says of itself with each sign of life. */
export interface WorkerFacts {
  /** Why it does not work on the run. */
  readonly refused?: string;
}

/** A worker, for everything that it works on. */
interface WorkerContext {
  /** `gpu1-9f3a01c2`: unlike every other, also a later one of the same machine. */
  readonly id: string;
  readonly board: Board;
  readonly allowed: Allowed;
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

const BEAT_MS = 3_000;
/** So many workers died or hung with one user: the run ends. More than chance where machines are taken away often. */
const MOST_DEATHS = 6;

/** Gives a sign of life. Returns the run; undefined where the database holds it no more. */
export async function beat({ id, board }: Pick<WorkerContext, "id" | "board">, run: string, facts: WorkerFacts) {
  await board.query(
    "insert into lamp_eval.worker select id, $2, $3, clock_timestamp() from lamp_eval.run where id = $1 on conflict (run, id) do update set facts = excluded.facts, seen = excluded.seen",
    ...[run, id, JSON.stringify(facts)],
  );
  await board.reap(run);
  return (await board.runs({ id: run }))[0];
}

/** Leaves a run, or all of them. */
export const leave = ({ id, board }: Pick<WorkerContext, "id" | "board">, run?: string): Promise<unknown> =>
  board.query("delete from lamp_eval.worker where id = $1 and run = coalesce($2, run)", id, run);

/** Works on a run until it is not open any more, or the worker is to end. Throws UsageError where this worker cannot work on it. */
export async function workOn({ id: run, plan }: BoardRun, worker: WorkerContext): Promise<void> {
  const { id, board, io } = worker;
  const world = await openPlan(plan, worker.allowed, io, worker);
  const { arms, stops, commands } = world;
  const stop = (): void => stops.stop.abort(new Interrupted());
  let isBeating = false;
  const live = async (): Promise<void> => {
    isBeating = true;
    const there = await beat(worker, run, {});
    if (there?.state !== "open") stop();
    isBeating = false;
  };
  const beats = setInterval(() => isBeating || live().catch(stop), BEAT_MS);
  const pool = board.database.pool(4);
  const secrets = knownSecrets(io.env).values;
  const exchange = new Exchange({ run, worker: id, board, secrets, stop: stops.stop.signal, onClosed: stop });
  /** Nothing more is asked for the run, by any worker. */
  const end = async (reason: unknown): Promise<void> => {
    await board.stop(run, "ended", JSON.stringify(whyOf(reason, id)));
    stop();
  };
  try {
    await live();
    const caps = async () => (await board.runs({ id: run }))[0];
    const shared = openShared(exchange, { clock: io.clock, stop: stops.stop.signal, caps });
    const { calls, engine } = await openEngine(world, shared, end);
    const width = Math.max(...arms.map(({ cell }) => calls.widthOf(cell.model)));
    const working = new Map<string, Promise<void>>();
    let done = 0;
    const doUser = async (user: UserJob, deaths: number): Promise<void> => {
      try {
        stops.stop.signal.throwIfAborted();
        await engine.work(...userOf(user, arms, deaths));
      } catch (error) {
        if (!(error instanceof Interrupted)) await end(error);
        throw error;
      }
      const { cell, unit } = user;
      await exchange.ask({ op: "log", content: JSON.stringify({ t: "done", cell, unit } satisfies DoneEntry) });
      done += 1;
    };
    const queue = await openUserWorker(run, pool, width, (user, deaths) => {
      const key = keyOfUser(user); // one that comes again, because its lock was lost meanwhile, is waited for
      const known = working.get(key) ?? doUser(user, deaths).finally(() => working.delete(key));
      working.set(key, known);
      return known;
    });
    io.tell(`${run}: at work, ${countOf(width, "user")} at a time`);
    await ends(stops.stop.signal);
    const draining = [() => queue.close(), () => engine.ended(), () => exchange.flushed()];
    for (const drained of draining) await Promise.race([drained(), ends(stops.kill)]);
    io.tell(`${run}: ${countOf(done, "user")} done here`);
  } catch (error) {
    if (!stops.stop.signal.aborted) throw error;
  } finally {
    clearInterval(beats);
    await leave(worker, run).catch(() => undefined); // its silence says the same
    await board.reap(run).catch(() => undefined);
    await commands.close();
    await pool.end().catch(() => undefined);
  }
}

/** Opens what calls go through, and asks the servers what they take; `end` is told where one refuses. */
async function openEngine(world: World, shared: Shared, end: (reason: unknown) => Promise<void>) {
  const { arms, embedders, stops, tools, programs } = world;
  const answers = new Answers(shared.log, [], shared.answers);
  const calls = openCalls(world, answers, { sharedPurse: shared.purse, pace: shared.pace });
  await tools.check();
  tools.keepSearches(answers);
  programs.keepIn(answers);
  const refusal = await firstRefusal(arms, calls, stops);
  if (refusal !== undefined && !stops.stop.signal.aborted) await end(refusal);
  const costly = new Map(embedders.all.map((one) => [one, sharedEmbedder(one, shared, stops.kill)]));
  const of: typeof embedders.of = (options) =>
    embedders.isCostly(options) ? costly.get(embedders.of(options))! : embedders.of(options); // `all` are there
  const ignore = (): void => undefined;
  const rows = { row: ignore, unit: ignore, trace: ignore }; // the run's process makes them
  const engine = engineOf({ ...world, embedders: { ...embedders, of } }, { calls, rows, vectors: undefined });
  return { calls, engine: handedOut({ ...engine, arms }) };
}

/** Finds a user by its place. Throws UsageError where it is not there, or workers died with it. */
function userOf({ cell: id, unit: name, at }: UserJob, arms: World["arms"], deaths: number) {
  const arm = arms.find(({ cell }) => cell.id === id);
  const unit = arm?.loaded.units.at(at);
  if (arm === undefined || unit?.id !== name) throw new UsageError(`user ${name} of arm ${id} is not in the plan`);
  const { method, task } = arm.cell;
  if (deaths < MOST_DEATHS) return [arm, unit] as const;
  throw new UsageError(`${deaths} workers died or hung while they worked on user ${name} of ${method} on ${task}`);
}

const ends = (signal: AbortSignal): Promise<void> => new Promise((resolve) => onAbort(signal, resolve));

/** Why a run ended, as the database holds it. */
interface Why {
  readonly kind: "cap" | "model" | "usage" | "bug";
  readonly message: string;
  readonly scope?: ModelError["scope"];
}

function whyOf(reason: unknown, worker: string): Why {
  if (reason instanceof BudgetError) return { kind: "cap", message: reason.message };
  const message = `worker ${worker}: ${reason instanceof Error ? reason.message : String(reason)}`;
  if (reason instanceof ModelError) return { kind: "model", message, scope: reason.scope };
  return { kind: reason instanceof UsageError ? "usage" : "bug", message };
}

/** Returns the reason again, in the run's process. */
export function reasonOf(text: string | null): unknown {
  const { kind, message, scope } = JSON.parse(text ?? "{}") as Why; // a worker of this version wrote it
  if (kind === "cap") return new BudgetError(message);
  if (kind === "model") return new ModelError(message, { retryable: false, ...(scope === undefined ? {} : { scope }) });
  return kind === "usage" ? new UsageError(message) : new Error(message);
}
