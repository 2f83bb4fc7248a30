import type { Estimate } from "../report/table.js";
import { countOf } from "../text/count.js";
import type { Cell, Row, Task } from "../types/index.js";
import { asFamily, type Comparison, compareIfAny, upwards } from "./compare.js";
import { groupBy } from "./grouped.js";
import { isSignificant } from "./inference.js";
import type { Summary } from "./summary.js";

/** The arms of a run with their rows. */
export interface ArmMaterial {
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

/** By the headline score, the best first; arms that still have questions to come, or no score, last. */
export function ranked<T>(things: readonly T[], of: (thing: T) => Summary): T[] {
  const goodness = ({ metrics: [metric], planned }: Summary): number =>
    metric?.strict === undefined || planned !== undefined ? Number.NEGATIVE_INFINITY : upwards(metric, metric.strict);
  const known = new Map(things.map((thing) => [thing, goodness(of(thing))]));
  return [...things].sort((a, b) => (known.get(a) === known.get(b) ? 0 : known.get(b)! - known.get(a)!));
}

/**
 * Compares each arm with its reference on the questions that both answered; `headline`: by the primary metric alone. Pairs without
 * such a question, as in a run that has hardly begun, are left out.
 */
export function comparedPairs<T extends ArmPair>(
  pairs: readonly T[],
  { rows, task }: Omit<ArmMaterial, "summaries">,
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

/** Compares pairs that are families: those of one task, data set and model are under one Holm correction. */
export const comparedFamilies = <T extends ArmPair>(
  pairs: readonly T[],
  material: Omit<ArmMaterial, "summaries">,
  headline = true,
): (T & { readonly comparison: Comparison })[] => inFamilies(comparedPairs(pairs, material, headline));

export const inFamilies = <T extends ArmPair & { readonly comparison: Comparison }>(pairs: readonly T[]): T[] =>
  [...groupBy(pairs, ({ arm }) => familyOf(arm)).values()].flatMap((family) => asFamily(family));

const familyOf = ({ task, dataset, model }: Summary): string => JSON.stringify([task, dataset, model]);

/** Each arm against the arm of one method on the same task, data and model, on the questions that both answered. */
export interface Gains {
  /** The method. */
  readonly over: string;
  /** Every metric, the primary one with p and Holm's p over its family; undefined where there is nothing to compare with. */
  of(summary: Summary): Comparison | undefined;
}

export function gainsOver(over: string, { summaries, ...material }: ArmMaterial): Gains {
  const pairs = summaries.flatMap((arm) => {
    const reference = summaries.find((other) => other.method === over && familyOf(other) === familyOf(arm));
    return reference === undefined || arm.method === over ? [] : [{ arm, reference }];
  });
  const found = comparedFamilies(pairs, material, false);
  const tested = new Map(found.map(({ arm, comparison }) => [arm.cells.join(" "), comparison]));
  return { over, of: ({ cells }) => tested.get(cells.join(" ")) };
}

/** Returns the gain by a metric, the primary one where none is named. */
export function gainEstimate(comparison: Comparison | undefined, name?: string): Estimate | undefined {
  const metric = name === undefined ? comparison?.metrics[0] : comparison?.metrics.find((one) => one.name === name);
  return metric && { value: metric.gain, interval: metric.interval };
}

/** Returns the p of the primary metric, marked where it survives its family's correction. */
export function markedP(comparison: Comparison | undefined): Estimate | undefined {
  const metric = comparison?.metrics[0];
  return metric && { value: metric.p, ...(isSignificant(metric.holm) ? { mark: "*" } : {}) };
}

/** Returns the legend of a column of p, with the sizes of the families; none where nothing has a p. */
export function pLegend(of: Gains["of"] | undefined, summaries: readonly Summary[]): string[] {
  const tested = summaries.filter((summary) => of?.(summary)?.metrics[0]?.holm !== undefined);
  const sizes = [...groupBy(tested, familyOf).values()].map(({ length }) => length);
  if (sizes.length === 0) return [];
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const over = least === most ? countOf(most, "comparison") : `${least} to ${countOf(most, "comparison")}`;
  return [`p: this pair alone; *: p ≤ .05 after Holm over ${over}`];
}
