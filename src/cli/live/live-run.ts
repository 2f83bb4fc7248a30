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
  /** Questions with a reply, one that could not be read included. */
  done: number;
  /** Questions that failed in this process: they are open. */
  failed: number;
  /** When it moved last: the number of the question among all. */
  moved: number;
  score(): number | undefined;
}

/** A run as its progress is shown. */
export interface LiveRun {
  readonly arms: readonly LiveArm[];
  readonly totals: RunTotals;
  readonly isResumed: boolean;
  /** What went wrong last, with a question or a try; undefined as long as nothing has. */
  lastError(): { readonly text: string; readonly agoMs: number } | undefined;
  inFlight(): number;
  waiting: Started["waiting"];
  workers: Started["workers"];
  spentUsd(): number | undefined;
  elapsedMs(): number;
}

/** Of a run that starts now; `hear` is to be told of every event. */
export function openLiveRun(started: Started, now: () => number) {
  const startMs = now();
  const totals = { calls: 0, tokens: 0, retries: 0, unparsed: 0 };
  let moves = 0;
  let error: { readonly text: string; readonly atMs: number } | undefined;
  const failed = (text: string): void => {
    error = { text: inert(text.replaceAll(/\s+/g, " ")), atMs: now() };
  };
  const arms = started.arms.map((arm) => liveArm(arm, started));
  const byCell = new Map(started.arms.map(({ cell }, a) => [cell, arms[a]]));
  const run: LiveRun = {
    arms,
    totals,
    isResumed: arms.some(({ doneBefore }) => doneBefore > 0),
    lastError: () => error && { text: error.text, agoMs: now() - error.atMs },
    inFlight: started.inFlight,
    waiting: started.waiting,
    workers: started.workers,
    spentUsd: started.spentUsd,
    elapsedMs: () => now() - startMs,
  };
  return {
    run,
    /** Returns the arm of a question. */
    hear(event: RunEvent): LiveArm | undefined {
      if (event.kind === "call") {
        totals.calls += 1;
        totals.tokens += event.usage.in + event.usage.out;
      }
      if (event.kind === "retry") {
        totals.retries += 1;
        failed(event.error);
      }
      if (event.kind !== "question") return undefined;
      const { outcome } = event;
      if (outcome.kind === "failed") failed(outcome.error);
      if (outcome.kind === "unparsed") totals.unparsed += 1;
      const arm = byCell.get(event.cell);
      if (arm === undefined) return undefined;
      if (outcome.kind === "failed") arm.failed += 1;
      else arm.done += 1;
      moves += 1;
      arm.moved = moves;
      return arm;
    },
  };
}

/** Whether nothing more is asked in this process. */
export const isOver = ({ done, failed, questions }: LiveArm): boolean => done + failed >= questions;

/** The sum of something over arms. */
export const sumOf = (arms: readonly LiveArm[], of: (arm: LiveArm) => number): number =>
  arms.reduce((sum, arm) => sum + of(arm), 0);

/**
 * `26 min`, of what this process has still to ask, at the pace of its replies; `-` before the first. Expected calls tell how much an
 * arm has to do: agents stand behind methods of one call.
 */
export function etaText({ arms, elapsedMs }: LiveRun): string {
  const work = (questions: (arm: LiveArm) => number): number =>
    sumOf(arms, (arm) => questions(arm) * Math.max(arm.callsPerQuestion, LEAST_WORK));
  const made = work(({ done, doneBefore }) => done - doneBefore);
  const left = work(({ done, failed, questions }) => questions - done - failed);
  if (left === 0) return duration(0);
  return made === 0 ? "-" : duration((elapsedMs() * left) / made / 1000);
}

/** A question that takes no call takes some time. */
const LEAST_WORK = 0.1;

/** `40 s`, `26 min`, `3 h 5 min`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
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
  failed: 0,
  moved: 0,
  score: () => score(cell),
});
