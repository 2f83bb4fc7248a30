import { Command } from "commander";
import { readEndpoints } from "../plan/config.js";
import { gather, names, number, positive } from "./flags.js";
import type { Terminal } from "./terminal.js";
import { stopOnInterrupt } from "./terminal.js";

interface Flags {
  readonly workers?: string;
  readonly model?: readonly string[];
  readonly baseUrl?: readonly string[];
  readonly endpoints?: string;
  readonly allowExec?: readonly string[];
  readonly data?: string;
  readonly concurrency?: number;
  readonly drainSeconds?: number;
  readonly forget?: string;
}

/** `lamp-eval worker`: does the users of runs that were started elsewhere, until it is told to end. */
export function workerCommand(io: Terminal): Command {
  return new Command("worker")
    .option("--workers <url>", "the PostgreSQL database of the workers (default: LAMP_EVAL_WORKERS)")
    .option("--model <ids>", "models and encoders that runs may use at their providers' own servers", names)
    .option("--base-url <url>", "a server that runs may use; repeatable", gather)
    .option("--endpoints <config.yaml>", "a config file whose endpoints runs may use")
    .option("--allow-exec <command>", "a program that runs may start as exec:COMMAND; repeatable", gather)
    .option("--data <dir>", "where the data are here, or task=dir,task=dir (default: where the run has them)")
    .option("--concurrency <n>", "most users worked on at once, and calls in flight, for each run", positive)
    .option("--drain-seconds <n>", "how long calls in flight may finish after Ctrl-C or SIGTERM (default: 30)", number)
    .option("--forget <run>", "drop everything that the database holds of a run, and leave")
    .action(async ({ forget, workers, drainSeconds, ...flags }: Flags) => {
      const { forgetRun } = await import("../workers/database.js");
      if (forget !== undefined) return io.out(await forgetRun(workers, forget, io));
      const interrupt = new AbortController();
      const release = stopOnInterrupt(interrupt, io, () => "other workers take over its users");
      const { model = [], baseUrl = [], endpoints: file, allowExec = [], ...own } = flags;
      const endpoints = file === undefined ? {} : readEndpoints(file, io);
      const allowed = { models: model, baseUrls: baseUrl, endpoints, commands: allowExec, own };
      const { work } = await import("../workers/worker.js");
      await work({ workers, drainSeconds, ...allowed }, io, { signal: interrupt.signal }).finally(release);
    });
}
