import type { Summary } from "../../results/summary.js";

/** The scores of one arm; `cells` are its repeats. */
export interface ArmScores {
  readonly cells: readonly string[];
  readonly task: string;
  readonly method: string;
  readonly questions: number;
  readonly failed: number;
  readonly scores: readonly { readonly name: string; readonly value: number | null }[];
}

/** What a pack says of each arm, to the last digit. */
export const scoresOf = (summaries: readonly Summary[]): ArmScores[] =>
  summaries.map(({ cells, task, method, counts, metrics }) => ({
    cells: [...cells],
    task,
    method,
    questions: counts.questions,
    failed: counts.failed,
    scores: metrics.map(({ name, strict }) => ({ name, value: strict ?? null })),
  }));
