import { randomUUID } from "node:crypto";
import { basename, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { realTimer } from "../../net/deadline.js";
import { thisMachine } from "../../run/lock.js";
import { Board } from "../../workers/board.js";
import { type Database, databaseTrouble, isGone, openDatabase } from "../../workers/connect.js";
import { Units } from "../../workers/queue.js";
import { migrate, refuseOtherSchema } from "../../workers/schema.js";
import type { Io } from "../io.js";
import { openStops } from "../run/stops.js";
import { readCrewFile } from "./crew-file.js";
import type { WorkerFacts } from "./labor.js";
import { Session } from "./session.js";

export interface WorkerSettings {
  /** Address of the database. Default: LAMP_EVAL_WORKERS. */
  readonly workers?: string | undefined;
  /** Most units at work, and calls in flight, for each run. */
  readonly concurrency?: number | undefined;
  readonly drainSeconds?: number | undefined;
  /** Leaves when there was nothing to do for so long. Absent: stays. */
  readonly idleSeconds?: number | undefined;
}

/** A worker's clock may be off by so much: locks go by the clocks of the workers. */
const MOST_OFF_MS = 2_000;
const LOOK_MS = 1_000;

/** The address of the database. Throws UsageError where none is named. */
export function addressOf(named: string | boolean | undefined, { env }: Pick<Io, "env">): string {
  const address = typeof named === "string" ? named : env.LAMP_EVAL_WORKERS;
  if (address !== undefined && address !== "") return address;
  throw new UsageError(
    "--workers: no database is named; set LAMP_EVAL_WORKERS to postgres://USER@HOST/DATABASE?sslmode=verify-full",
  );
}

/** Opens the database, looked at once. Throws UsageError where it, its tables or this machine's clock will not do. */
export async function openBoard(
  address: string,
  { clock }: Pick<Io, "clock">,
): Promise<{ readonly database: Database; readonly board: Board; close(): Promise<void> }> {
  const database = await openDatabase(address);
  const pool = database.pool(3);
  try {
    await refuseOtherSchema(pool);
    const board = new Board(pool);
    const offMs = await board.clockOff(() => clock.now());
    if (Math.abs(offMs) > MOST_OFF_MS)
      throw new UsageError(
        `--workers ${database.shown}: this machine's clock is ${(offMs / 1000).toFixed(1)} s off the database's; set it (NTP)`,
      );
    return { database, board, close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw databaseTrouble(error, database.shown);
  }
}

/** Makes the tables, or brings them up to date; `role` may then use them. */
export async function migrateTables(workers: string | undefined, role: string | undefined, io: Io): Promise<string> {
  const database = await openDatabase(addressOf(workers, io));
  const client = database.client();
  try {
    await client.connect();
    const { isNew } = await migrate(client, role);
    return `${database.shown}: the tables are ${isNew ? "made" : "up to date"}${role === undefined ? "" : `, ${role} may use them`}`;
  } catch (error) {
    throw databaseTrouble(error, database.shown);
  } finally {
    await client.end();
  }
}

/** Drops all that the database holds of a run, named by its folder or the last part of that. */
export async function forgetRun(workers: string | undefined, folder: string, io: Io): Promise<string> {
  const run = readCrewFile(resolve(io.cwd, folder))?.run ?? basename(folder);
  const { database, board, close } = await openBoard(addressOf(workers, io), io);
  try {
    if (!(await dropRun(database, board, run)))
      throw new UsageError(`--forget ${run}: the database holds no run of that name`);
    return `${run} is forgotten; its folder is as it was`;
  } finally {
    await close();
  }
}

/** Returns whether there was one. */
export async function dropRun(database: Database, board: Board, run: string): Promise<boolean> {
  const was = await board.forget(run);
  await withUnits(database, run, (units) => units.drop());
  return was;
}

/** Opened anew each time: BullMQ never asks again for a connection that failed at first. */
export async function withUnits(database: Database, run: string, job: (units: Units) => Promise<void>): Promise<void> {
  const pool = database.pool(2);
  try {
    const units = await Units.open(run, pool);
    await job(units).finally(() => units.close());
  } finally {
    await pool.end();
  }
}

/** Works on all runs that are open, until it is told to end. Throws UsageError where it cannot begin. */
export async function work(
  settings: WorkerSettings,
  io: Io,
  signals: { readonly signal: AbortSignal; readonly kill: AbortSignal },
): Promise<void> {
  const { concurrency, drainSeconds = 30, idleSeconds } = settings;
  const stops = openStops(signals, realTimer);
  const release = stops.drainWithin(drainSeconds * 1000);
  const { database, board, close } = await openBoard(addressOf(settings.workers, io), io);
  const { host, pid } = thisMachine();
  const id = `${host.split(".")[0]}-${pid}-${randomUUID().slice(0, 4)}`;
  io.tell(`worker ${id}: waiting for runs at ${database.shown}`);
  const sessions = new Map<string, Promise<void>>();
  const refused = new Map<string, string>();
  let busyAt = io.clock.monotonic();
  try {
    while (!stops.stop.signal.aborted) {
      const open = await board.runs().catch((error: unknown) => {
        if (isGone(error)) return [];
        throw databaseTrouble(error, database.shown);
      });
      for (const run of open) {
        if (sessions.has(run.id) || refused.get(run.id) === run.owner) continue;
        const context = { id, database, board, concurrency, io, signal: stops.asked, kill: stops.kill };
        const session = Session.work(run, context)
          .catch(async (error: unknown) => {
            if (isGone(error)) return;
            if (!(error instanceof UsageError)) throw error;
            refused.set(run.id, run.owner);
            io.tell(`${run.id}: not for this worker: ${error.message}`);
            await board.beat(run.id, id, JSON.stringify({ refused: error.message } satisfies WorkerFacts));
          })
          .finally(() => sessions.delete(run.id));
        sessions.set(run.id, session);
      }
      if (sessions.size > 0) busyAt = io.clock.monotonic();
      if (idleSeconds !== undefined && io.clock.monotonic() - busyAt >= idleSeconds * 1000) break;
      await Promise.race([io.clock.sleep(LOOK_MS, stops.stop.signal).catch(() => undefined), failing(sessions)]);
    }
    await Promise.all(sessions.values());
  } finally {
    release();
    for (const run of refused.keys()) await board.leave(run, id).catch(() => undefined);
    await close();
  }
}

/** Throws what a session threw; else never ends. */
const failing = (sessions: ReadonlyMap<string, Promise<void>>): Promise<never> =>
  new Promise((_, reject) => {
    for (const session of sessions.values()) session.catch(reject);
  });
