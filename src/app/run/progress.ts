import type { Arm } from "../../run/plan/plan.js";
import { callsPerQuestion } from "../../run/rehearse.js";
import type { RunRows } from "../../run/run-rows.js";
import type { CallRange } from "../../types.js";
import { armTitle } from "./arm-warnings.js";
import type { ArmProgress } from "./events.js";

/** How far each arm is, under the name that tells it from others of its method. */
export function progressOf(arms: readonly Arm[], rows: RunRows): ArmProgress[] {
  return arms.map((arm) => {
    const { cell, loaded } = arm;
    return {
      cell: cell.id,
      title: armTitle(cell, arms),
      questions: loaded.questions,
      metric: loaded.task.metrics[0]?.name,
      callsPerQuestion: expectedCalls(arm),
      done: rows.doneCount(cell.id),
    };
  });
}

/** By the formulas of the method, in the middle of their bounds, with the first user for all. */
function expectedCalls({ method, options, loaded }: Arm): number {
  const plan = method.plan(options);
  const first = loaded.units.at(0);
  const prepared =
    first === undefined ? 0 : (middle(plan.perUnit(first.user.history)) * loaded.units.length) / loaded.questions;
  return middle(callsPerQuestion(plan, loaded.task, loaded.online === true)) + prepared;
}

const middle = (range: CallRange): number =>
  Object.values(range).reduce((sum, { low, high }) => sum + (low + high) / 2, 0);
