import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { isSimulated } from "../../models/index.js";
import { settingsApart } from "../../report/arms.js";
import {
  type Baseline,
  type BaselineArm,
  baselineOf,
  type GatedRun,
  readBaseline,
  renderBaseline,
} from "../../report/gate/baseline.js";
import { baselineQuestions } from "../../report/gate/pairs.js";
import { type PlanLine, planLine, renderPlan } from "../../report/gate/plan-text.js";
import type { PlanSettings } from "../../report/gate/planner.js";
import { refusePart } from "../../run/plan/part.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Metric } from "../../types/index.js";
import type { Catalogue } from "../catalogue.js";
import { settingsOf } from "../common/arm-choice.js";
import { openKnown } from "../common/known-part.js";
import { readJson } from "../common/read-json.js";
import { openRunFolder, type StoredRun } from "../common/run-folder.js";
import { writeText } from "../common/write-text.js";
import type { Io } from "../io.js";
import { type ArmSelection, chosenArms, goldByTask } from "./arms.js";

export { renderPlan } from "../../report/gate/plan-text.js";

export interface BaselineSettings extends ArmSelection {
  readonly run: string;
  /** Where the baseline is written. */
  readonly file: string;
  /** Largest share of failed answers accepted in each arm. */
  readonly maxFailed: number;
  /** What margins are planned for: the risk, and the share of answers that a new run draws anew where there is one repeat. Default: .05, .10. */
  readonly alpha?: number;
  readonly noise?: number;
}

export interface WrittenBaseline {
  readonly arms: number;
  readonly questions: number;
  /** Answers that failed, over all arms and repeats. */
  readonly failed: number;
  readonly simulated: boolean;
  /** Of each arm and metric: its margins, and the loss that it detects. */
  readonly planned: readonly PlanLine[];
}

/** Writes a finished run as a baseline file. Throws UsageError on a run that nothing could be measured against. */
export async function writeBaseline(
  { run, file, maxFailed, alpha = PLANNED.alpha, noise = PLANNED.noise, ...wanted }: BaselineSettings,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): Promise<WrittenBaseline> {
  const { folder, tasks } = openKnown(run, io);
  if (folder.manifest.finishedAt === undefined)
    throw new UsageError(`${folder.path} is not finished: the same lamp-eval run command finishes it`);
  refusePart(run, folder.manifest);
  const { missed = 0 } = folder.manifest;
  if (missed > 0)
    throw new UsageError(
      `${run} is a replay with ${countOf(missed, "request")} that its recording does not hold: no baseline; record it again`,
    );
  const whole = baselineOf(partsOf(folder));
  const arms = [...chosenArms({ name: run, holds: whole }, wanted, tasks)];
  const failed = arms.reduce((sum, arm) => sum + failedAnswers(arm, maxFailed, run), 0);
  const planned = { alpha, noise };
  const gold = goldByTask(folder);
  const lines = arms.map((arm) =>
    planLines(arm, arms, { metrics: tasks.get(arm.task).metrics, gold, alpha, noises: [noise] }),
  );
  const withMargins = arms.map((arm, a) => withPlannedMargins(arm, lines[a]!)); // one each
  writeText(resolve(io.cwd, file), renderBaseline({ ...whole, planned, arms: withMargins }));
  const questions = arms.reduce((sum, arm) => sum + arm.questions.length, 0);
  return { arms: arms.length, questions, failed, simulated: whole.simulated, planned: lines.flat() };
}

/** What it holds, in one line, and what it can tell. */
export function baselineText({ arms, questions, failed, simulated, planned }: WrittenBaseline): string {
  const more = `${failed === 0 ? "" : `, ${countOf(failed, "failed answer")}`}${simulated ? ", SIMULATED" : ""}`;
  return `${arms} ${nounOf(arms, "arm")}, ${questions} ${nounOf(questions, "question")}${more}\n\n${renderPlan(planned)}`;
}

/** With the margins that an unchanged run passes in about 80 of 100 cases, of every metric of which they are known. */
function withPlannedMargins(arm: BaselineArm, planned: readonly PlanLine[]): BaselineArm {
  const margins = planned.flatMap(({ metric, margins }) => (margins === undefined ? [] : [[metric, margins] as const]));
  if (margins.length === 0) return arm;
  const { questions, ...facts } = arm;
  return { ...facts, margins: Object.fromEntries(margins), questions };
}

interface GatePlanSettings extends ArmSelection {
  /** Run folder that would be a baseline. */
  readonly run: string;
  readonly alpha: number;
}

/** What margins a run could be gated at as a baseline: of every metric, for several shares of answers drawn anew. Only reads. */
export async function gatePlan(
  { run, alpha, ...wanted }: GatePlanSettings,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): Promise<readonly PlanLine[]> {
  const { folder, tasks } = openKnown(run, io);
  const gold = goldByTask(folder);
  const arms = chosenArms({ name: run, holds: baselineOf(partsOf(folder)) }, wanted, tasks);
  return arms.flatMap((arm) =>
    planLines(arm, arms, { metrics: tasks.get(arm.task).metrics, gold, alpha, noises: [0, 0.05, 0.2] }),
  );
}

interface Planning {
  readonly metrics: readonly Metric[];
  readonly gold: ReadonlyMap<string, string>;
  readonly alpha: number;
  /** Shares of answers drawn anew, where the run has one repeat. */
  readonly noises: readonly number[];
}

/** The arm is named by its method, and among several of its method by its settings. */
function planLines(
  arm: BaselineArm,
  arms: readonly BaselineArm[],
  { metrics, gold, alpha, noises }: Planning,
): PlanLine[] {
  const alike = arms.filter(({ task, method }) => task === arm.task && method === arm.method);
  const settings = alike.length < 2 ? "" : ` (${settingsApart(settingsOf(arm), alike.map(settingsOf))})`;
  const named = { ...arm, method: `${arm.method}${settings}` };
  const questions = baselineQuestions(arm, (question) => gold.get(`${arm.task}\t${question}`));
  const shares = arm.repeats > 1 ? [undefined] : noises;
  return metrics.flatMap((metric) => shares.map((noise) => planLine(named, metric, questions, { alpha, noise })));
}

export const knownArms = (baseline: Baseline, tasks: Catalogue["tasks"]): Baseline => ({
  ...baseline,
  arms: baseline.arms.filter(({ task }) => tasks.find(task) !== undefined),
});

/** A baseline file, or a run folder as a baseline. Throws UsageError on anything else, and on a file that was changed. */
export async function openBaseline(name: string, cwd: string): Promise<Baseline> {
  const path = resolve(cwd, name);
  if (existsSync(path) && statSync(path).isDirectory()) {
    const folder = openRunFolder(name, cwd);
    refusePart(name, folder.manifest);
    return baselineOf(partsOf(folder));
  }
  const baseline = readBaseline(await readJson(name, "--baseline", cwd), `--baseline ${name}`);
  const embedded = baseline.arms.find(({ model }) => isSimulated(model));
  if (!baseline.simulated && embedded !== undefined)
    throw new UsageError(
      `--baseline ${name}: it says simulated: false, and its ${embedded.method} is of ${embedded.model}, which is SIMULATED: the file was changed; write it again with --write-baseline`,
    );
  return baseline;
}

/** What a baseline is made from. */
export const partsOf = ({ manifest, rows }: StoredRun): GatedRun => ({
  simulated: manifest.simulated,
  version: manifest.by ?? "",
  cells: manifest.plan.cells,
  data: manifest.plan.data,
  requests: manifest.requests ?? {},
  rows,
});

const PLANNED: PlanSettings = { alpha: 0.05, noise: 0.1 };

/** Throws UsageError where they are more than the accepted share: nothing could be measured against such an arm. */
function failedAnswers({ task, method, questions, repeats }: BaselineArm, most: number, run: string): number {
  const failed = questions.reduce((sum, question) => sum + question.failed, 0);
  const all = questions.length * repeats;
  if (failed <= most * all) return failed;
  throw new UsageError(
    `${run}: ${failed} of ${all} answers of ${task} ${method} failed, more than --max-failed ${most}: no baseline; run it again, or accept them with --max-failed`,
  );
}
