import { join } from "node:path";
import { ScoreError } from "../../../errors.js";
import { isScored, pairOf } from "../../../report/pairs.js";
import { readJournal } from "../../../run/journal.js";
import type { Arm } from "../../../run/plan/plan.js";
import { runFiles } from "../../../run/rows.js";
import type { Metric, Row } from "../../../types/index.js";

/** The headline score of each arm over what is answered so far. Costs nothing until somebody asks. */
export class RunningScores {
  readonly #folder: string;
  readonly #isDone: (cell: string, question: string) => boolean;
  readonly #arms = new Map<string, Sums>();
  #isAsked = false;

  /** `isDone`: whether a stored row needs no further work. */
  constructor(folder: string, arms: readonly Arm[], isDone: (cell: string, question: string) => boolean) {
    this.#folder = folder;
    this.#isDone = isDone;
    for (const { cell, loaded } of arms) {
      const [metric] = loaded.task.metrics;
      if (metric !== undefined) this.#arms.set(cell.id, { metric, sums: new Float64Array(metric.width), count: 0 });
    }
  }

  /** A row on its way to the file. */
  add(row: Row): void {
    if (this.#isAsked) this.#count(row);
  }

  /** Undefined where nothing is scored yet. */
  of(cell: string): number | undefined {
    if (!this.#isAsked) this.#readStored();
    const arm = this.#arms.get(cell);
    return arm === undefined || arm.count === 0 ? undefined : arm.metric.value(arm.sums, arm.count);
  }

  #readStored(): void {
    this.#isAsked = true;
    const seen = new Set<string>();
    for (const row of readJournal<Row>(join(this.#folder, runFiles.rows))) {
      const key = `${row.cell}\t${row.question}`;
      if (seen.has(key) || !this.#isDone(row.cell, row.question) || !isScored(row)) continue;
      seen.add(key);
      this.#count(row);
    }
  }

  #count(row: Row): void {
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
}

interface Sums {
  readonly metric: Metric;
  readonly sums: Float64Array;
  count: number;
}
