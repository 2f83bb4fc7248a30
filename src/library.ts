import { type CompareSettings, compare as compareRuns } from "./app/compare/compare.js";
import { type BaselineSettings, writeBaseline as writeBaselineFile } from "./app/gate/baseline.js";
import { type GateSettings, gate as gateRun } from "./app/gate/gate.js";
import type { Io } from "./app/io.js";
import { type ReportSettings, report as reportRun } from "./app/report/report.js";
import { type ReproduceSettings, reproduce as reproduceTable } from "./app/reproduce/reproduce.js";
import { estimateRun as estimate, type RunRequest, run as runMethods } from "./app/run/run.js";
import { type ScoreSettings, score as scorePredictions } from "./app/score.js";
import { type VerifySettings, verify as verifyRun } from "./app/verify/verify.js";
import { processIo } from "./process-io.js";

/** What of the outside world a program sets itself: another folder for relative paths, things of its own, a listener. */
export type OwnIo = Partial<Io>;

/** Runs methods on tasks, or resumes, and writes the tables, as `lamp-eval run`. Prints nothing: all that happens is an event. */
export const run = (request: RunRequest, io?: OwnIo) => runMethods(request, whole(io));

/** What a run would ask for, by arm and phase, as `lamp-eval run --dry-run`. */
export const estimateRun = (request: RunRequest, io?: OwnIo) => estimate(request, whole(io));

/** Scores predictions as the benchmark's own script does, as `lamp-eval score`. */
export const score = (settings: ScoreSettings, io?: OwnIo) => scorePredictions(settings, whole(io));

/** Paired tests between two runs, or between methods of one, as `lamp-eval compare`. Throws UsageError on runs that cannot be compared. */
export const compare = (settings: CompareSettings, io?: OwnIo) => compareRuns(settings, whole(io));

/** Whether a run is no worse than a baseline, as `lamp-eval gate`. Throws UsageError where that cannot be judged. */
export const gate = (settings: GateSettings, io?: OwnIo) => gateRun(settings, whole(io));

/** Writes a finished run as a baseline file, as `lamp-eval gate --write-baseline`. */
export const writeBaseline = (settings: BaselineSettings, io?: OwnIo) => writeBaselineFile(settings, whole(io));

/** Tables, page and figures of a run folder, as `lamp-eval report`. Writes only what is asked for. */
export const report = (settings: ReportSettings, io?: OwnIo) => reportRun(settings, whole(io));

/** Own runs beside a published table, as `lamp-eval reproduce`. */
export const reproduce = (settings: ReproduceSettings, io?: OwnIo) => reproduceTable(settings, whole(io));

/** Every number of a run made again from its rows, as `lamp-eval verify`: one check each, `ok`, `FAILED` or `not checked`. */
export const verify = (settings: VerifySettings, io?: OwnIo) => verifyRun(settings, whole(io));

// --- internal ---

const whole = (io: OwnIo = {}): Io => ({ ...processIo(), ...io });
