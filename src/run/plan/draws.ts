import type { CallRange, Model } from "../../types/index.js";
import type { Arm } from "./plan.js";

/**
 * How many replies are drawn to each prompt of an arm in all: as many as it has repeats, where a question is one call whose
 * prompt rests on no reply, so that every repeat asks the same; else 1. Only the first repeat draws for all.
 */
export function drawsOf(arm: Arm, arms: readonly Arm[]): number {
  const { cell, method, options } = arm;
  if (cell.repeat > 0 || method.callsElsewhere === true) return 1;
  const plan = method.plan(options);
  const before = { ...plan.perUnit([]), ...plan.perCell?.() };
  const { answer, ...others } = plan.perQuestion();
  const isSingle = answer?.low === 1 && answer.high === 1 && mostOf(others) + mostOf(before) === 0;
  return isSingle ? arms.filter((other) => isRepeatOf(other, arm)).length : 1;
}

/** The model, asked for so many replies to each prompt of a first repeat. */
export function drawing(model: Model, draws: number): Model {
  if (draws === 1 || model.simulated) return model;
  return { ...model, complete: (request, signal) => model.complete({ ...request, samples: draws }, signal) };
}

const mostOf = (range: CallRange): number => Object.values(range).reduce((sum, { high }) => sum + high, 0);

function isRepeatOf({ cell, loaded }: Arm, arm: Arm): boolean {
  const { id: _, repeat: __, ...content } = cell;
  const { id: ___, repeat: ____, ...ofArm } = arm.cell;
  return loaded.task === arm.loaded.task && JSON.stringify(content) === JSON.stringify(ofArm);
}
