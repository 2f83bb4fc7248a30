import { settingsApart } from "../../report/arms.js";
import { type BaselineArm, baselineOf } from "../../report/gate/baseline.js";
import { baselineQuestions } from "../../report/gate/pairs.js";
import { type PlanLine, planLine } from "../../report/gate/plan-text.js";
import { settingsOf } from "../common/arm-choice.js";
import { knownFolder } from "../common/known-part.js";
import { openRunFolder } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { type ArmSelection, chosenArms, goldByTask } from "./arms.js";
import { partsOf } from "./baseline.js";

export { renderPlan } from "../../report/gate/plan-text.js";

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
  const { folder, tasks } = knownFolder(openRunFolder(run, io.cwd), run, io);
  const gold = goldByTask(folder);
  const arms = chosenArms({ name: run, holds: baselineOf(partsOf(folder)) }, wanted, tasks);
  return arms.flatMap((arm) => {
    const named = { ...arm, method: nameApart(arm, arms) };
    const questions = baselineQuestions(arm, (question) => gold.get(`${arm.task}\t${question}`));
    const shares = arm.repeats > 1 ? [undefined] : NOISES;
    return tasks
      .get(arm.task)
      .metrics.flatMap((metric) => shares.map((noise) => planLine(named, metric, questions, { alpha, noise })));
  });
}

/** Shares of answers drawn anew, where the run has one repeat. */
const NOISES = [0, 0.05, 0.2];

/** The method, and in a run of several of its arms the settings of this one. */
function nameApart(arm: BaselineArm, arms: readonly BaselineArm[]): string {
  const alike = arms.filter(({ task, method }) => task === arm.task && method === arm.method);
  return alike.length < 2 ? arm.method : `${arm.method} (${settingsApart(settingsOf(arm), alike.map(settingsOf))})`;
}
