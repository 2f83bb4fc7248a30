import { UsageError } from "../errors.js";
import type { Io } from "../plan/io.js";
import type { RunRequest } from "../plan/settings.js";
import { type ReadingIo, withRuns } from "../record/stored-run.js";
import type { Delegate } from "../run/run.js";
import { compare as compareRuns } from "./compare.js";
import { estimateRun as estimate } from "./estimate.js";
import { gate as gateRun, writeBaseline as writeBaselineFile } from "./gate.js";
import { report as reportRuns } from "./report.js";
import { reproduce as reproduceTable } from "./reproduce.js";
import { type RunResult, run as runMethods } from "./run-request.js";
import { score as scorePredictions } from "./score.js";
import { processIo } from "./terminal.js";
import { verify as verifyRun } from "./verify.js";

/** What of the outside world a program sets itself: another folder for relative paths, things of its own, a listener. */
export type OwnIo = Partial<Io>;

/**
 * Hands a command this process's outside world, with what a program sets itself, and the runs that it reads. Throws UsageError where a needed field is absent: a
 * program in JavaScript is told by nothing else.
 */
const inProcess =
  <R extends object, T>(
    command: (request: R, io: ReadingIo) => T | Promise<T>,
    ...needed: readonly (keyof R & string)[]
  ) =>
  async (request: R, io: OwnIo = {}): Promise<T> => {
    const absent = needed.find((field) => request?.[field] === undefined || request[field] === null);
    if (absent !== undefined)
      throw new UsageError(`${absent}: it is missing; give an object with ${needed.join(", ")}`);
    return withRuns({ ...processIo(), ...io }, (whole) => command(request, whole));
  };

/** The `run` of src/index.ts; `delegate`: how workers are reached. */
export const run = (request: RunRequest, io?: OwnIo, delegate?: Delegate): Promise<RunResult> =>
  inProcess((asked: RunRequest, whole) => runMethods(asked, whole, delegate))(request, io);

/** Returns what a run would ask for, by arm and phase, as `lamp-eval run --dry-run`. Sends and writes nothing. Throws as `run`. */
export const estimateRun = inProcess(estimate);

/** Scores predictions as the benchmark's own script does, as `lamp-eval score`. Throws UsageError on answers that it cannot take. */
export const score = inProcess(scorePredictions, "task", "predictions", "golds");

/** Compares two runs, or methods of one, by paired tests, as `lamp-eval compare`. Throws UsageError on runs that cannot be compared. */
export const compare = inProcess(compareRuns, "a");

/** Tells whether a run is no worse than a baseline, as `lamp-eval gate`. Throws UsageError where that cannot be judged. */
export const gate = inProcess(gateRun, "run", "baseline");

/** Writes a finished run as a baseline file, as `lamp-eval gate --write-baseline`. Throws UsageError on an unfinished one. */
export const writeBaseline = inProcess(writeBaselineFile, "run", "file");

/** Makes tables, page and figures of runs, as `lamp-eval report`. Writes only what is asked for. Throws UsageError where no run is. */
export const report = inProcess(reportRuns, "runs");

/** Sets own runs beside a published table, as `lamp-eval reproduce`. Throws UsageError on simulated and real runs together. */
export const reproduce = inProcess(reproduceTable, "table", "runs");

/** Executes a run again with its log in the place of everything outside, as `lamp-eval verify`. Returns one line for each arm. */
export const verify = inProcess(verifyRun, "run");
