import { ScoreError } from "../../errors.js";
import { isScored, pairOf } from "../../report/pairs.js";
import type { Arm } from "../../run/plan/plan.js";
import type { Metric, Row } from "../../types/index.js";

/** The headline score of each arm over what is answered so far. */
export class RunningScores {
  readonly #arms = new Map<string, { readonly metric: Metric; readonly sums: Float64Array; count: number }>();

  constructor(arms: readonly Arm[]) {
    for (const { cell, loaded } of arms) {
      const [metric] = loaded.task.metrics;
      if (metric !== undefined) this.#arms.set(cell.id, { metric, sums: new Float64Array(metric.width), count: 0 });
    }
  }

  add(row: Row): void {
    const arm = this.#arms.get(row.cell);
    if (arm === undefined || !isScored(row)) return;
    try {
      arm.metric.add(pairOf(row), arm.sums);
      arm.count += 1;
    } catch (error) {
      if (!(error instanceof ScoreError)) throw error;
      this.#arms.delete(row.cell); // the tables at the end say why there is no score
    }
  }

  /** Undefined where nothing is scored yet. */
  of(cell: string): number | undefined {
    const arm = this.#arms.get(cell);
    return arm === undefined || arm.count === 0 ? undefined : arm.metric.value(arm.sums, arm.count);
  }
}
