import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { UsageError } from "../errors.js";
import { realTimer } from "../net/deadline.js";
import type { Io } from "../run/io.js";
import type { StopSignals } from "../run/plan/settings.js";
import { openStops } from "../run/stops.js";
import { isGone, openDatabase } from "./database.js";
import type { Allowed } from "./plan.js";
import { workOn } from "./session.js";

export interface WorkerSettings extends Allowed {
  /** Address of the database. Default: LAMP_EVAL_WORKERS. */
  readonly workers?: string | undefined;
  readonly drainSeconds?: number | undefined;
}

const LOOK_MS = 1_000;

/** Works on the runs that are open, one after the other, until it is told to end. Throws UsageError where it cannot begin. */
export async function work(settings: WorkerSettings, io: Io, signals: StopSignals): Promise<void> {
  const stops = openStops(signals, realTimer);
  const release = stops.drainWithin((settings.drainSeconds ?? 30) * 1000);
  const { signal } = stops.stop;
  const database = await openDatabase(settings.workers, io, stops.kill);
  const id = `${hostname().split(".")[0]}-${randomUUID().slice(0, 8)}`;
  const worker = { id, database, allowed: settings, io, signal: stops.asked, kill: stops.kill };
  const refused = new Set<string>();
  io.tell(`worker ${id}: waiting for runs at ${database.shown}`);
  try {
    while (!signal.aborted) {
      const run = (await database.runs({ state: "open" })).find((one) => !refused.has(one.id));
      try {
        if (run === undefined) await io.clock.sleep(LOOK_MS, signal).catch(() => undefined);
        else await workOn(run, worker);
      } catch (error) {
        if (isGone(error)) continue;
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
