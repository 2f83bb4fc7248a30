import { armsOf } from "../../report/arms.js";
import type { ControlledArm } from "../../report/evidence.js";
import type { Manifest } from "../../run/manifest.js";
import type { Cell } from "../../types/index.js";
import type { EvidenceRun } from "./file.js";

/** An arm of a run, and its numbers. */
export interface EvidenceArm extends ControlledArm {
  readonly name: string;
  /** One a repeat. */
  readonly cells: readonly [Cell, ...Cell[]];
  /** As results.json has them; undefined where it has none. */
  readonly numbers: EvidenceRun["results"]["results"][number] | undefined;
}

export const armsIn = ({ plan }: Pick<Manifest, "plan">, { results }: EvidenceRun["results"]): EvidenceArm[] =>
  armsOf(plan.cells).flatMap(([cell, ...more]) => {
    if (cell === undefined) return [];
    const cells = [cell, ...more] as const;
    const ids = cells.map(({ id }) => id).join();
    const data = plan.data.find(({ task, name }) => task === cell.task && name === cell.dataset)?.units ?? "";
    const numbers = results.find((one) => one.cells.join() === ids);
    const variant = numbers === undefined || numbers.variant === "" ? "" : ` (${numbers.variant})`;
    return { ...cell, name: `${cell.task} ${cell.method}${variant}`, cells, numbers, data };
  });
