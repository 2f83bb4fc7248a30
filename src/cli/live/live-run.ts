import type { ArmProgress, RunEvent } from "../../app/run/events.js";
import type { RunTotals } from "../../app/run/progress-text.js";
import { inert } from "./inert.js";

/** An arm of a run that goes on. */
export interface LiveArm {
  readonly title: string;
  readonly metric: string | undefined;
  readonly callsPerQuestion: number;
  readonly questions: number;
  /** Questions that an earlier process has answered. */
  readonly doneBefore: number;
  done: number;
  /** When it moved last: the number of the question among all. */
  moved: number;
  score(): number | undefined;
}

/** A run as its live region shows it. */
export interface LiveRun {
  readonly arms: readonly LiveArm[];
  readonly totals: RunTotals;
  readonly isResumed: boolean;
  inFlight(): number;
  waiting: Started["waiting"];
  spentUsd(): number | undefined;
  elapsedMs(): number;
}

/** Of a run that starts now; `tell` it of what happens. */
export function openLiveRun(started: Started, totals: LiveRun["totals"], now: () => number) {
  const startMs = now();
  let moves = 0;
  const arms = started.arms.map((arm) => liveArm(arm, started));
  const byCell = new Map(started.arms.map(({ cell }, a) => [cell, arms[a]]));
  const run: LiveRun = {
    arms,
    totals,
    isResumed: arms.some(({ doneBefore }) => doneBefore > 0),
    inFlight: started.inFlight,
    waiting: started.waiting,
    spentUsd: started.spentUsd,
    elapsedMs: () => now() - startMs,
  };
  return {
    run,
    /** A question of an arm is done. */
    question(cell: string): void {
      const arm = byCell.get(cell);
      if (arm === undefined) return;
      arm.done += 1;
      moves += 1;
      arm.moved = moves;
    },
  };
}

type Started = Extract<RunEvent, { readonly kind: "started" }>;

const liveArm = (
  { cell, title, metric, callsPerQuestion, questions, done }: ArmProgress,
  { score }: Started,
): LiveArm => ({
  title: inert(title),
  metric,
  callsPerQuestion,
  questions,
  doneBefore: done,
  done,
  moved: 0,
  score: () => score(cell),
});
