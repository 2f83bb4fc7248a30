import type { Cell, Row, Task } from "../types/index.js";
import { compareIfAny, correct, type TestedArms } from "./compare/compare.js";
import { upwards } from "./compare/question-test.js";
import { groupBy } from "./grouped.js";
import type { Summary } from "./summary.js";
import type { Estimate } from "./table.js";

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
 * Pairs of arms on the questions that both answered, under one Holm correction; `headline`: by the first metric alone. Pairs
 * without such a question, as in a run that has hardly begun, are left out.
 */
export function comparedPairs<T extends ArmPair>(
  pairs: readonly T[],
  { cells, rows, task }: Omit<ArmMaterial, "summaries">,
  headline = true,
): (T & { readonly comparison: TestedArms })[] {
  const rowsOf = rowsByArm(rows);
  const tested = pairs.flatMap((pair) => {
    const { arm, reference } = pair;
    const metrics = task(arm.task).metrics.slice(0, headline ? 1 : undefined);
    const seed = cells.find(({ id }) => id === arm.cells[0])?.seed ?? 0;
    const comparison = compareIfAny({ a: rowsOf(reference), b: rowsOf(arm), metrics, seed });
    return comparison === undefined ? [] : [{ ...pair, comparison }];
  });
  return corrected(tested);
}

/** Holm's correction over exactly these pairs. */
export function corrected<T extends { readonly comparison: TestedArms }>(tested: readonly T[]): T[] {
  const comparisons = correct(tested.map(({ comparison }) => comparison));
  return tested.map((one, at) => ({ ...one, comparison: comparisons[at]! })); // one each
}

/** Each arm against the arm of one method on the same task, data and model, on the questions that both answered. */
export interface Gains {
  /** The method. */
  readonly over: string;
  /** Every metric, p after Holm over all metrics of all arms; undefined where there is nothing to compare with. */
  of(summary: Summary): TestedArms | undefined;
}

export function gainsOver(over: string, { summaries, ...material }: ArmMaterial): Gains {
  const pairs = summaries.flatMap((arm) => {
    const reference = summaries.find((other) => other.method === over && isPeer(other, arm));
    return reference === undefined || arm.method === over ? [] : [{ arm, reference }];
  });
  const found = comparedPairs(pairs, material, false);
  const tested = new Map(found.map(({ arm, comparison }) => [arm.cells.join(" "), comparison]));
  return { over, of: ({ cells }) => tested.get(cells.join(" ")) };
}

const isPeer = (a: Summary, b: Summary): boolean => a.task === b.task && a.dataset === b.dataset && a.model === b.model;

/** The gain by a metric, the first where none is named, upwards: positive is better, also where lower scores are. Interval: 95 %, over users. */
export function gainEstimate(comparison: TestedArms | undefined, name?: string): Estimate | undefined {
  const metric = name === undefined ? comparison?.metrics[0] : comparison?.metrics.find((one) => one.name === name);
  if (metric === undefined) return undefined;
  const interval = metric.overUsers?.interval;
  const ends = interval === undefined ? [] : [upwards(metric, interval.low), upwards(metric, interval.high)];
  return {
    value: upwards(metric, metric.difference),
    interval: interval && { low: Math.min(...ends), high: Math.max(...ends) },
  };
}
