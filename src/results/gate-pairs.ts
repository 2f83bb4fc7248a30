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

/** Finds the run's arm of an arm of the baseline: task, method, and what tells several of one method apart in the baseline. */
export function pairOf(
  arm: BaselineArm,
  { arms }: Baseline,
  run: Baseline,
  sides: { file: string; name: string },
): Pair {
  const isOf = (other: BaselineArm): boolean => nameOf(other) === nameOf(arm);
  const peers = arms.filter(isOf).map(settingsOf);
  const apart = differing(settingsOf(arm), peers);
  const found = run.arms.filter(
    (other) => isOf(other) && Object.entries(apart).every(([setting, value]) => settingsOf(other)[setting] === value),
  );
  const variant = settingsApart(settingsOf(arm), peers);
  const name = `${nameOf(arm)}${variant === "" ? "" : ` (${variant})`}`;
  if (found.length === 1) return { name, baseline: arm, run: found[0]! };
  throw new UsageError(
    found.length === 0
      ? `${sides.name} has no ${name}, ${sides.file} has; run it, or choose with --task and --method`
      : `${sides.name} has ${found.length} arms of ${name}, ${sides.file} has one; write a new baseline`,
  );
}

/** Says what changed between the two besides answers. */
export function changesOf({ name, baseline, run }: Pair): string[] {
  const facts = ({ seed: _, failed, unparsed, ...arm }: BaselineArm) => ({
    ...settingsOf({ ...arm, seed: _ }),
    ...{ "failed answers": failed, "unparsed answers": unparsed },
  });
  const [before, after]: Readonly<Record<string, unknown>>[] = [facts(baseline), facts(run)];
  const changes = [
    ...[...new Set([...Object.keys(before!), ...Object.keys(after!)])]
      .filter((setting) => before![setting] !== after![setting])
      .map((setting) => `${setting} ${before![setting] ?? "absent"} became ${after![setting] ?? "absent"}`),
    ...(baseline.data.units === run.data.units ? [] : ["visible histories or questions differ"]),
    ...(baseline.data.wording === run.data.wording ? [] : ["the task's wording differs"]),
  ];
  return changes.length === 0 ? [] : [`${name}: changed since the baseline: ${changes.join(", ")}`];
}
