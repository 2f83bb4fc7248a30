import type { TitledComparison } from "../report/compare.js";
import type { GateResult } from "../report/gate.js";
import type { Reproduced } from "../report/papers/beside.js";
import type { Io } from "../run/io.js";
import type { RunRequest } from "../run/plan/settings.js";
import type { HandOut } from "../run/run.js";
import { type CompareSettings, compare as compareRuns } from "./compare.js";
import { estimateRun as estimate, type RunEstimate } from "./estimate.js";
import {
  type BaselineSettings,
  type GateSettings,
  gate as gateRun,
  type WrittenBaseline,
  writeBaseline as writeBaselineFile,
} from "./gate.js";
import { processIo } from "./process-io.js";
import { type Report, type ReportSettings, report as reportRuns } from "./report.js";
import { type ReproduceSettings, reproduce as reproduceTable } from "./reproduce.js";
import { type RunResult, run as runMethods } from "./run-request.js";
import { type OfficialAnswers, type Scored, type ScoreSettings, score as scorePredictions } from "./score.js";
import { type Verified, type VerifySettings, verify as verifyRun } from "./verify.js";

/** What of the outside world a program sets itself: another folder for relative paths, things of its own, a listener. */
export type OwnIo = Partial<Io>;

/** What `score` cannot do without, and how it scores. */
export interface ScoreRequest extends ScoreSettings {
  /** A name: `lamp3`, `LaMP_3`. */
  readonly task: string;
  /** A file in the official form, or what would stand in it. */
  readonly predictions: string | OfficialAnswers;
  /** The same of the right answers. */
  readonly golds: string | OfficialAnswers;
}

/** The `run` of src/index.ts; `handOut`: how workers are reached. */
export const run = (request: RunRequest, io?: OwnIo, handOut?: HandOut): Promise<RunResult> =>
  runMethods(request, whole(io), handOut);

/** What a run would ask for, by arm and phase, as `lamp-eval run --dry-run`. Sends and writes nothing. Throws as `run`. */
export const estimateRun = (request: RunRequest, io?: OwnIo): Promise<RunEstimate> => estimate(request, whole(io));

/** Scores predictions as the benchmark's own script does, as `lamp-eval score`. Throws UsageError on answers that it cannot take. */
export const score = (request: ScoreRequest, io?: OwnIo): Promise<Scored> => scorePredictions(request, whole(io));

/**
 * Paired tests between two runs, or between methods of one, as `lamp-eval compare`. Throws UsageError on runs that cannot be
 * compared.
 */
export const compare = async (request: CompareSettings, io?: OwnIo): Promise<readonly TitledComparison[]> =>
  compareRuns(request, whole(io));

/** Whether a run is no worse than a baseline, as `lamp-eval gate`. Throws UsageError where that cannot be judged. */
export const gate = (request: GateSettings, io?: OwnIo): Promise<GateResult> => gateRun(request, whole(io));

/** Writes a finished run as a baseline file, as `lamp-eval gate --write-baseline`. Throws UsageError on an unfinished one. */
export const writeBaseline = (request: BaselineSettings, io?: OwnIo): Promise<WrittenBaseline> =>
  writeBaselineFile(request, whole(io));

/** Tables, page and figures of runs, as `lamp-eval report`. Writes only what is asked for. Throws UsageError where no run is. */
export const report = (request: ReportSettings, io?: OwnIo): Promise<Report> => reportRuns(request, whole(io));

/** Own runs beside a published table, as `lamp-eval reproduce`. Throws UsageError on SIMULATED runs. */
export const reproduce = async (request: ReproduceSettings, io?: OwnIo): Promise<Reproduced> =>
  reproduceTable(request, whole(io));

/** A run executed again with its log in the place of everything outside, as `lamp-eval verify`: one line for each arm. */
export const verify = (request: VerifySettings, io?: OwnIo): Promise<readonly Verified[]> =>
  verifyRun(request, whole(io));

const whole = (io: OwnIo = {}): Io => ({ ...processIo(), ...io });
