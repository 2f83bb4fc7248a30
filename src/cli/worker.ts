import { Command } from "commander";
import { forgetRun, migrateTables, work } from "../app/workers/worker.js";
import { number, positive } from "./flags/run-flags.js";
import { stopOnInterrupt } from "./interrupt.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly workers?: string;
  readonly concurrency?: number;
  readonly drainSeconds?: number;
  readonly idleSeconds?: number;
  readonly migrate?: string | true;
  readonly forget?: string;
}

/** `lamp-eval worker`: does the work of runs that were started elsewhere, until it is told to end. */
export function workerCommand(io: Terminal): Command {
  return new Command("worker")
    .option("--workers <url>", "the PostgreSQL database of the workers (default: LAMP_EVAL_WORKERS)")
    .option(
      "--concurrency <n>",
      "most units at work, and calls in flight, for each run (default: as the run would)",
      positive,
    )
    .option(
      "--drain-seconds <n>",
      "how long calls in flight may finish after Ctrl-C, SIGTERM or SIGHUP (default: 30)",
      number,
    )
    .option("--idle-seconds <n>", "leave when there was nothing to do for so long (default: stay)", number)
    .option(
      "--migrate [role]",
      "make the tables in the database, or bring them up to date, and let a role use them; then leave",
    )
    .option("--forget <run>", "drop all that the database holds of a run; then leave")
    .action(async ({ migrate, forget, workers, ...flags }: Flags) => {
      if (migrate !== undefined) io.out(await migrateTables(workers, migrate === true ? undefined : migrate, io));
      else if (forget !== undefined) io.out(await forgetRun(workers, forget, io));
      else {
        const [interrupt, kill] = [new AbortController(), new AbortController()];
        const release = stopOnInterrupt(interrupt, io, () => "other workers do its units");
        await work({ workers, ...flags }, io, { signal: interrupt.signal, kill: kill.signal }).finally(release);
      }
    });
}
