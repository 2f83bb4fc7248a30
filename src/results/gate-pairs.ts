import { UsageError } from "../errors.js";
import { differing, settingsApart, settingsOf } from "./arms.js";
import type { Baseline, BaselineArm } from "./baseline.js";

/** An arm of a baseline and that of a run. */
export interface Pair {
  readonly name: string;
  readonly baseline: BaselineArm;
  readonly run: BaselineArm;
}

export const nameOf = ({ task, method }: BaselineArm): string => `${task} ${method}`;

interface Named {
  readonly name: string;
  readonly holds: Baseline;
}

/**
 * Finds the run's arm of an arm of the baseline: task, method, and what tells several of one method apart in the baseline. Throws
 * UsageError where there is none, or several.
 */
export function pairOf(arm: BaselineArm, baseline: Named, run: Named): Pair {
  const own = settingsOf(arm);
  const peers = baseline.holds.arms.filter((other) => nameOf(other) === nameOf(arm)).map(settingsOf);
  const apart = Object.entries(differing(own, peers));
  const found = run.holds.arms.filter(
    (other) => nameOf(other) === nameOf(arm) && apart.every(([setting, value]) => settingsOf(other)[setting] === value),
  );
  const variant = settingsApart(own, peers);
  const name = `${nameOf(arm)}${variant === "" ? "" : ` (${variant})`}`;
  if (found.length === 1) return { name, baseline: arm, run: found[0]! };
  throw new UsageError(
    found.length === 0
      ? `${run.name} has no ${name}, ${baseline.name} has; run it, or choose with --task and --method`
      : `${run.name} has ${found.length} arms of ${name}, ${baseline.name} has one; write a new baseline`,
  );
}

/** Says what changed between the two besides answers. */
export function changesOf({ name, baseline, run }: Pair): string[] {
  const facts = (arm: BaselineArm): Readonly<Record<string, unknown>> => ({
    ...settingsOf(arm),
    ...{ "failed answers": arm.failed, "unparsed answers": arm.unparsed },
  });
  const [before, after] = [facts(baseline), facts(run)];
  const changes = [
    ...Object.keys({ ...before, ...after })
      .filter((fact) => before[fact] !== after[fact])
      .map((fact) => `${fact} ${before[fact] ?? "absent"} became ${after[fact] ?? "absent"}`),
    ...(baseline.data.units === run.data.units ? [] : ["visible histories or questions differ"]),
    ...(baseline.data.wording === run.data.wording ? [] : ["the task's wording differs"]),
  ];
  return changes.length === 0 ? [] : [`${name}: changed since the baseline: ${changes.join(", ")}`];
}
