import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { UsageError } from "../errors.js";
import { realTimer } from "../net/deadline.js";
import type { Io } from "../run/io.js";
import type { StopSignals } from "../run/plan/settings.js";
import { openStops } from "../run/stops.js";
import { type BoardRun, openBoard } from "./board.js";
import { isGone } from "./connect.js";
import type { Allowed } from "./plan.js";
import { beat, leave, workOn } from "./session.js";

export interface WorkerSettings extends Allowed {
  /** Address of the database. Default: LAMP_EVAL_WORKERS. */
  readonly workers?: string | undefined;
  readonly drainSeconds?: number | undefined;
}

const LOOK_MS = 1_000;

/** Works on all runs that are open, until it is told to end. Throws UsageError where it cannot begin. */
export async function work(settings: WorkerSettings, io: Io, signals: StopSignals): Promise<void> {
  const stops = openStops(signals, realTimer);
  const release = stops.drainWithin((settings.drainSeconds ?? 30) * 1000);
  const board = await openBoard(settings.workers, io, stops.kill);
  const id = `${hostname().split(".")[0]}-${randomUUID().slice(0, 8)}`;
  const worker = { id, board, allowed: settings, io, signal: stops.asked, kill: stops.kill };
  io.tell(`worker ${id}: waiting for runs at ${board.database.shown}`);
  const sessions = new Map<string, Promise<void>>();
  const refused = new Set<string>();
  const session = async (run: BoardRun): Promise<void> => {
    try {
      await workOn(run, worker);
    } catch (error) {
      if (isGone(error)) return;
      if (!(error instanceof UsageError)) throw error;
      refused.add(run.owner);
      io.tell(`${run.id}: this worker cannot work on it: ${error.message}`);
      await beat(worker, run.id, { refused: error.message });
    } finally {
      sessions.delete(run.id);
    }
  };
  try {
    while (!stops.stop.signal.aborted) {
      for (const run of await board.runs({ state: "open" }))
        if (!sessions.has(run.id) && !refused.has(run.owner)) sessions.set(run.id, session(run));
      const failing = [...sessions.values()].map((one) => one.then(() => new Promise<never>(() => undefined)));
      await Promise.race([io.clock.sleep(LOOK_MS, stops.stop.signal).catch(() => undefined), ...failing]);
    }
    await Promise.all(sessions.values());
  } finally {
    release();
    await leave(worker).catch(() => undefined); // its silence says the same
    await board.close();
  }
}
