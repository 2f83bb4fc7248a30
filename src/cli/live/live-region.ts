import { flyingText, longestWait, questionsText, totalsTexts } from "../../app/run/progress-text.js";
import { inert } from "./inert.js";
import { armLines } from "./live-arms.js";
import type { LiveArm, LiveRun } from "./live-run.js";
import { bar, flow } from "./live-text.js";
import type { Size } from "./screen.js";

/**
 * What the live region shows, at most `rows` - 2 lines of at most `columns` characters: the whole run, its calls, its spend, then as
 * many arms as there is room for, those that move first, and how many more there are. Nothing is cut: fields that do not fit into a
 * line stand on the next one, and of a terminal that is too low the last lines are left out.
 */
export function regionLines(run: LiveRun, size: Size): string[] {
  const columns = Math.max(NARROWEST, size.columns);
  const room = Math.max(1, size.rows - 2);
  const head = [overall(run, columns), calls(run, columns), spend(run, columns)].flat();
  const left = room - head.length;
  const lines = [...head, ...armLines(run, columns, left)];
  return lines.slice(0, room);
}

/** Nobody reads a narrower one. */
const NARROWEST = 16;
const WIDEST_BAR = 30;
const NARROWEST_BAR = 8;

function overall(run: LiveRun, columns: number): string[] {
  const questions = run.arms.reduce((sum, arm) => sum + arm.questions, 0);
  const done = run.arms.reduce((sum, arm) => sum + arm.done, 0);
  const fields = [
    questionsText(done, questions),
    `${questions === 0 ? 100 : Math.floor((100 * done) / questions)} %`,
    `ETA ${eta(run)}`,
  ];
  const width = Math.min(WIDEST_BAR, columns - fields.join(" · ").length - 1);
  const [first = "", ...more] = flow(fields, columns);
  return width < NARROWEST_BAR ? [first, ...more] : [`${bar(done, questions, width)} ${first}`, ...more];
}

function calls(run: LiveRun, columns: number): string[] {
  const waiting = longestWait(run.waiting(), 0);
  return flow([flyingText(run.inFlight()), waiting === undefined ? "none waits" : inert(waiting)], columns);
}

function spend({ spentUsd, totals, isResumed }: LiveRun, columns: number): string[] {
  const usd = spentUsd();
  return flow(
    [
      usd === undefined
        ? "no price known"
        : `${dollars(usd)} spent${isResumed ? " since the run was taken up again" : ""}`,
      ...totalsTexts(totals),
    ],
    columns,
  );
}

const dollars = (usd: number): string => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

/** Expected calls tell how much an arm has still to do: agents stand behind methods of one call. */
function eta({ arms: all, elapsedMs }: LiveRun): string {
  const work = (questions: (arm: LiveArm) => number): number =>
    all.reduce((sum, arm) => sum + questions(arm) * Math.max(arm.callsPerQuestion, LEAST_WORK), 0);
  const [made, left] = [
    work(({ done, doneBefore }) => done - doneBefore),
    work(({ done, questions }) => questions - done),
  ];
  return made === 0 && left > 0 ? "-" : duration(made === 0 ? 0 : (elapsedMs() * left) / made / 1000);
}

/** `40 s`, `26 min`, `3 h 5 min`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A question that takes no call takes some time. */
const LEAST_WORK = 0.1;
