import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readJson } from "../../disk/read-json.js";
import { writeText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { isSimulated } from "../../models/index.js";
import { openKnown } from "../../report/known-part.js";
import { formatScore } from "../../report/tables/format.js";
import { armsOf } from "../../results/arms.js";
import { type Baseline, type BaselineArm, baselineOf, readBaseline, renderBaseline } from "../../results/baseline.js";
import type { Catalogue } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { refusePart } from "../../run/plan/part.js";
import type { StoredRun } from "../../run/stored-run.js";
import { countOf } from "../../text/count.js";
import { refuseUnknownMethod } from "../common/arm-choice.js";

/** Which arms are meant. Absent: all. */
export interface ArmSelection {
  readonly task?: readonly string[];
  readonly method?: readonly string[];
}

export interface BaselineSettings extends ArmSelection {
  readonly run: string;
  /** Where the baseline is written. */
  readonly file: string;
  /** Largest share of failed answers accepted in each arm. Default: .01. */
  readonly maxFailed?: number;
}

export interface WrittenBaseline {
  readonly arms: number;
  readonly questions: number;
  /** Answers that failed, over all arms and repeats. */
  readonly failed: number;
  readonly simulated: boolean;
}

export const DEFAULT_MAX_FAILED = 0.01;

type GateIo = Pick<Io, "cwd" | "catalogue" | "tell">;

/** Writes a finished run as a baseline file. Throws UsageError on a run that nothing could be compared with. */
export async function writeBaseline(
  { run, file, maxFailed = DEFAULT_MAX_FAILED, ...wanted }: BaselineSettings,
  io: GateIo,
): Promise<WrittenBaseline> {
  const { folder, holds } = openRun(run, io);
  if (folder.manifest.finishedAt === undefined)
    throw new UsageError(`${folder.path} is not finished: the same lamp-eval run command finishes it`);
  const { missed = 0 } = folder.manifest;
  if (missed > 0)
    throw new UsageError(`${run} is a replay, and its pack lacks ${countOf(missed, "request")}: make a new pack first`);
  const arms = chosenArms({ name: run, holds }, wanted);
  for (const { task, method, failed, questions } of arms) {
    const answers = questions.reduce((sum, { replies }) => sum + replies.length, 0);
    if (failed > maxFailed * answers)
      throw new UsageError(
        `${run}: ${failed} of ${answers} answers of ${task} ${method} failed, more than --max-failed ${maxFailed}: no baseline; run it again, or accept them with --max-failed`,
      );
  }
  writeText(resolve(io.cwd, file), renderBaseline({ ...holds, arms }));
  const sum = (of: (arm: BaselineArm) => number): number => arms.reduce((total, arm) => total + of(arm), 0);
  const questions = sum(({ questions }) => questions.length);
  return { arms: arms.length, questions, failed: sum(({ failed }) => failed), simulated: holds.simulated };
}

/** Says in one line what a baseline holds. */
export function baselineText({ arms, questions, failed, simulated }: WrittenBaseline): string {
  const more = `${failed === 0 ? "" : `, ${countOf(failed, "failed answer")}`}${simulated ? ", SIMULATED" : ""}`;
  return `${countOf(arms, "arm")}, ${countOf(questions, "question")}${more}`;
}

/** A run or a baseline file, as typed. */
export interface NamedArms {
  readonly name: string;
  readonly holds: Baseline;
}

/** Opens a whole run as a baseline. Throws UsageError on a shard. */
export function openRun(
  run: string,
  io: GateIo,
): NamedArms & { readonly folder: StoredRun; readonly tasks: Catalogue["tasks"] } {
  const { folder, tasks } = openKnown(run, io);
  const { manifest, rows } = folder;
  refusePart(run, manifest);
  const holds = baselineOf({
    simulated: manifest.simulated,
    version: manifest.by ?? "",
    arms: armsOf(manifest.plan.cells),
    data: manifest.plan.data.map((one) => ({ ...one, files: [...one.files] })),
    rows,
    metricsOf: (task) => tasks.get(task).metrics,
    print: formatScore,
  });
  return { name: run, holds, folder, tasks };
}

/** Opens a baseline file, or a run folder as a baseline. Throws UsageError on anything else. */
export async function openBaseline(name: string, io: GateIo): Promise<Baseline> {
  const path = resolve(io.cwd, name);
  if (existsSync(path) && statSync(path).isDirectory()) return openRun(name, io).holds;
  const baseline = readBaseline(await readJson(name, "--baseline", io.cwd), `--baseline ${name}`);
  const embedded = baseline.arms.find(({ model }) => isSimulated(model));
  if (!baseline.simulated && embedded !== undefined)
    throw new UsageError(
      `--baseline ${name}: it says simulated: false, and ${embedded.model} is SIMULATED: write it again with --write-baseline`,
    );
  return baseline;
}

/** Throws UsageError on names that it does not have. */
export function chosenArms({ name, holds }: NamedArms, { task: tasks, method: methods }: ArmSelection): BaselineArm[] {
  const known = [...new Set(holds.arms.map(({ method }) => method))];
  for (const method of methods ?? []) refuseUnknownMethod(name, known, method);
  const arms = holds.arms.filter(
    ({ task, method }) => (tasks?.includes(task) ?? true) && (methods?.includes(method) ?? true),
  );
  const missing = tasks?.find((task) => !arms.some((arm) => arm.task === task));
  if (missing === undefined && arms.length > 0) return arms;
  const has = [...new Set(holds.arms.map(({ task, method }) => `${task} ${method}`))].join(", ");
  throw new UsageError(`${name} has nothing of ${missing ?? "this choice"}; it has ${has}`);
}
