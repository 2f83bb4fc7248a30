import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { pid } from "node:process";
import type { Io } from "../app/io.js";
import { openStops } from "../app/run/stops.js";
import { UsageError } from "../errors.js";
import { realTimer } from "../net/deadline.js";
import { databaseTrouble, isGone } from "./connect.js";
import { openBoard } from "./open-board.js";
import type { Allowed } from "./plan.js";
import { type WorkerFacts, workOn } from "./session.js";

export interface WorkerSettings extends Allowed {
  /** Address of the database. Default: LAMP_EVAL_WORKERS. */
  readonly workers?: string | undefined;
  readonly drainSeconds?: number | undefined;
  /** Leaves when there was nothing to do for so long. Absent: stays. */
  readonly idleSeconds?: number | undefined;
}

const LOOK_MS = 1_000;

/** Works on all runs that are open, until it is told to end. Throws UsageError where it cannot begin. */
export async function work(
  { workers, drainSeconds = 30, idleSeconds, ...allowed }: WorkerSettings,
  io: Io,
  signals: { readonly signal: AbortSignal; readonly kill: AbortSignal },
): Promise<void> {
  const stops = openStops(signals, realTimer);
  const release = stops.drainWithin(drainSeconds * 1000);
  const opened = await openBoard(workers, io);
  const { database, board } = opened;
  const id = `${hostname().split(".")[0]}-${pid}-${randomUUID().slice(0, 4)}`;
  const context = { ...opened, id, allowed, io, signal: stops.asked, kill: stops.kill };
  io.tell(`worker ${id}: waiting for runs at ${database.shown}`);
  const sessions = new Map<string, Promise<void>>();
  /** Owners of runs that this worker cannot work on, by their names. */
  const refused = new Map<string, string>();
  const refuse = async (run: { readonly id: string; readonly owner: string }, error: UsageError): Promise<void> => {
    refused.set(run.id, run.owner);
    io.tell(`${run.id}: this worker cannot work on it: ${error.message}`);
    await board.beat(run.id, id, JSON.stringify({ refused: error.message } satisfies WorkerFacts));
  };
  let busyAt = io.clock.monotonic();
  try {
    while (!stops.stop.signal.aborted) {
      const open = await board.runs().catch((error: unknown) => {
        if (isGone(error)) return [];
        throw databaseTrouble(error, database.shown);
      });
      for (const run of open) {
        if (sessions.has(run.id) || refused.get(run.id) === run.owner) continue;
        const session = workOn(run, context)
          .catch((error: unknown) => {
            if (error instanceof UsageError) return refuse(run, error);
            if (!isGone(error)) throw error;
          })
          .finally(() => sessions.delete(run.id));
        sessions.set(run.id, session);
      }
      if (sessions.size > 0) busyAt = io.clock.monotonic();
      if (idleSeconds !== undefined && io.clock.monotonic() - busyAt >= idleSeconds * 1000) break;
      const failing = [...sessions.values()].map((session) => session.then(() => new Promise<never>(() => undefined)));
      await Promise.race([io.clock.sleep(LOOK_MS, stops.stop.signal).catch(() => undefined), ...failing]);
    }
    await Promise.all(sessions.values());
  } finally {
    release();
    for (const run of refused.keys()) await board.leave(run, id).catch(() => undefined);
    await opened.close();
  }
}
