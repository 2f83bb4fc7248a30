import type { Cell, Row, Task } from "../types/index.js";
import { asFamily, type Comparison, compareIfAny, upwards } from "./compare.js";
import { groupBy } from "./samples.js";
import type { Summary } from "./summary.js";

/** The arms of one or several runs with their rows. */
export interface ArmInput {
  readonly summaries: readonly Summary[];
  readonly cells: readonly Cell[];
  readonly rows: readonly Row[];
  readonly task: (name: string) => Task;
}

/** An arm, and the one that it is compared with. */
export interface ArmPair {
  readonly arm: Summary;
  readonly reference: Summary;
}

export function rowsByArm(rows: readonly Row[]): (arm: Summary) => Row[] {
  const byCell = groupBy(rows, ({ cell }) => cell);
  return ({ cells }) => cells.flatMap((id) => byCell.get(id) ?? []);
}

/** Returns arms by the primary score, the best first; unfinished ones and those without a score last. */
export function ranked(arms: readonly Summary[]): Summary[] {
  const goodness = ({ metrics: [metric], planned }: Summary): number =>
    metric?.strict === undefined || planned !== undefined ? Number.NEGATIVE_INFINITY : upwards(metric, metric.strict);
  return arms.toSorted((a, b) => (goodness(a) === goodness(b) ? 0 : goodness(b) - goodness(a)));
}

/**
 * Compares each arm with its reference on the questions that both answered; `headline`: by the primary metric alone. Pairs without
 * such a question, as in a run that has hardly begun, are left out.
 */
export function comparedPairs<T extends ArmPair>(
  pairs: readonly T[],
  { rows, task }: Omit<ArmInput, "summaries">,
  headline = true,
): (T & { readonly comparison: Comparison })[] {
  const rowsOf = rowsByArm(rows);
  return pairs.flatMap((pair) => {
    const { arm, reference } = pair;
    const metrics = task(arm.task).metrics.slice(0, headline ? 1 : undefined);
    const comparison = compareIfAny({ a: rowsOf(reference), b: rowsOf(arm), metrics });
    return comparison === undefined ? [] : [{ ...pair, comparison }];
  });
}

/** Adds Holm's p: compared pairs of one task, data set and model are one family. */
export const inFamilies = <T extends ArmPair & { readonly comparison: Comparison }>(pairs: readonly T[]): T[] =>
  [...groupBy(pairs, ({ arm }) => familyOf(arm)).values()].flatMap((family) => asFamily(family));

export const familyOf = ({ task, dataset, model }: Summary): string => JSON.stringify([task, dataset, model]);

/** Each arm against the arm of one method on the same task, data and model. */
export interface Gains {
  /** The method. */
  readonly over: string;
  /** Undefined where there is nothing to compare with. */
  of(summary: Summary): Comparison | undefined;
}

/** Of several arms of the method, one of the arm's own run and settings is its reference, else the first. */
export function gainsOver(over: string, { summaries, ...input }: ArmInput): Gains {
  const pairs = summaries.flatMap((arm) => {
    if (arm.method === over) return [];
    const of = summaries.filter((other) => other.method === over && familyOf(other) === familyOf(arm));
    const own = of.filter(({ run }) => run === arm.run);
    const near = own.length === 0 ? of : own;
    const reference = near.find(({ variant }) => variant === arm.variant) ?? near[0];
    return reference === undefined ? [] : [{ arm, reference }];
  });
  const found = inFamilies(comparedPairs(pairs, input, false));
  const tested = new Map(found.map(({ arm, comparison }) => [arm.cells.join(" "), comparison]));
  return { over, of: ({ cells }) => tested.get(cells.join(" ")) };
}
