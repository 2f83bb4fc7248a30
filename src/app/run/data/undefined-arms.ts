import { UsageError } from "../../../errors.js";
import { controls, givenControl, undefinedControl } from "../../../run/plan/controls.js";
import type { Arm, LoadedTask } from "../../../run/plan/plan.js";
import type { SweepFacts } from "../../../types/index.js";

/** The arms whose method says something on their task. Throws UsageError where there is none. */
export function fitting(arms: readonly Arm[]): Arm[] {
  const fit = arms.filter(({ method, loaded }) => method.unfit?.(loaded.task) === undefined);
  const [first] = arms;
  if (fit.length === 0 && first !== undefined)
    throw new UsageError(
      `${first.method.name} says nothing on ${first.loaded.task.name}: ${first.method.unfit?.(first.loaded.task)}`,
    );
  return fit;
}

/** Throws UsageError where a method needs other users and the data have none, or none with labels. */
export function refuseEmptyPools(arms: readonly Arm[]): void {
  for (const { method, options, loaded } of arms) {
    const use = method.usesOthers?.(options) ?? false;
    const where = `${method.name} on ${loaded.dataset.name}`;
    if (use === false) continue;
    const { size, labelled } = loaded.others;
    if (size === 0)
      throw new UsageError(
        `${where}: the pool of other users is empty; give data with training users (user_others.json), --set others=leave-one-out with two or more users, or leave ${method.name} out`,
      );
    if (use === "labelled" && labelled === 0)
      throw new UsageError(
        `${where}: no past item of other users has a label (${size} without one); choose where labels of past papers come from (--set lamp1.labels=own-title-proxy needs nothing else), or leave ${method.name} out`,
      );
  }
}

/** The controls of the past that mean nothing on a task's data, and why. */
export const undefinedControls = (loaded: readonly LoadedTask[]): NonNullable<SweepFacts["undefinedFor"]> =>
  loaded.flatMap((data) =>
    controls.flatMap((value) => {
      const reason = undefinedControl(value, data);
      return reason === undefined ? [] : [{ task: data.task.name, value, reason }];
    }),
  );

/** Throws UsageError where the control that was given for a task means nothing on its data. */
export function refuseUndefinedControl(loaded: readonly LoadedTask[]): void {
  for (const data of loaded) {
    const { "history.control": control = "right" } = givenControl(data.given);
    const reason = undefinedControl(control, data);
    if (reason !== undefined)
      throw new UsageError(
        `history.control=${control}: undefined on ${data.task.name}, ${data.dataset.name}: ${reason}`,
      );
  }
}
