import type { Cell, Row, Task } from "../types/index.js";
import { compareIfAny, correct, type TestedArms } from "./compare/compare.js";
import { upwards } from "./compare/question-test.js";
import { groupBy } from "./grouped.js";
import type { Summary } from "./summary.js";
import type { Estimate } from "./table.js";

interface GainMaterial {
  readonly summaries: readonly Summary[];
  readonly cells: readonly Cell[];
  readonly rows: readonly Row[];
  readonly task: (name: string) => Task;
}

/** Each arm against the arm of one method on the same task, data and model, on the questions that both answered. */
export interface Gains {
  /** The method. */
  readonly over: string;
  /** Every metric, p after Holm over all metrics of all arms; undefined where there is nothing to compare with. */
  of(summary: Summary): TestedArms | undefined;
}

export function gainsOver(over: string, { summaries, cells, rows, task }: GainMaterial): Gains {
  const byCell = groupBy(rows, ({ cell }) => cell);
  const rowsOf = ({ cells: ids }: Summary): Row[] => ids.flatMap((id) => byCell.get(id) ?? []);
  const tested = summaries.flatMap((summary) => {
    const reference = summaries.find((other) => other.method === over && isPeer(other, summary));
    if (reference === undefined || summary.method === over) return [];
    const seed = cells.find(({ id }) => id === summary.cells[0])?.seed ?? 0;
    const { metrics } = task(summary.task);
    const comparison = compareIfAny({ a: rowsOf(reference), b: rowsOf(summary), metrics, seed });
    return comparison === undefined ? [] : [{ summary, comparison }];
  });
  const corrected = correct(tested.map(({ comparison }) => comparison));
  const found = new Map(tested.map(({ summary: { cells: ids } }, at) => [ids.join(" "), corrected[at]]));
  return { over, of: ({ cells: ids }) => found.get(ids.join(" ")) };
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
