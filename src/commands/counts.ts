import type { RunEvent, WaitingCalls } from "../run/events.js";
import { countOf, grouped } from "../text/count.js";

type Started = Extract<RunEvent, { readonly kind: "started" }>;

/** Questions of a task, or of the whole run. */
export interface Count {
  readonly title: string;
  questions: number;
  /** Questions with a reply. */
  done: number;
  failed: number;
}

export interface Counts {
  readonly run: Count;
  readonly tasks: readonly Count[];
  /** Calls in flight, what calls wait for, dollars spent and the remaining time. */
  state(leastWaitMs: number): string[];
  lastError(): string | undefined;
  /** `12 of 2,345 questions done`. */
  done(): string;
}

export function countsOf(started: Started, now: () => number) {
  const startMs = now();
  const run: Count = { title: "all", questions: 0, done: 0, failed: 0 };
  const byTask = new Map<string, Count>();
  const taskOf = new Map<string, Count>();
  for (const { cell, task, questions } of started.arms) {
    const count = byTask.get(task) ?? { title: task, questions: 0, done: 0, failed: 0 };
    byTask.set(task, count);
    taskOf.set(cell, count);
    for (const one of [run, count]) {
      one.questions += questions;
    }
  }
  let error: string | undefined;
  let workers: string | undefined;
  let repliedMs = startMs;
  const counts: Counts = {
    run,
    tasks: [...byTask.values()],
    lastError: () => error,
    done: () => `${grouped(run.done)} of ${grouped(run.questions)} questions done`,
    state(leastWaitMs) {
      const usd = started.spentUsd();
      const work = workers ?? `${countOf(started.inFlight(), "call")} in flight`;
      const wait = longestWait(started.waiting(), leastWaitMs) ?? silence();
      const made = run.done;
      const left = run.questions - run.done - run.failed;
      const eta = made === 0 ? "-" : duration(((now() - startMs) * left) / made / 1000);
      return [work, wait ?? "", usd === undefined ? "" : `$${usd.toFixed(4)} spent`, `ETA ${eta}`].flatMap(
        (text) => text || [],
      );
    },
  };
  /** Says since when no server has replied, where calls are out. */
  function silence(): string | undefined {
    const seconds = Math.floor((now() - repliedMs) / 1000);
    if (seconds < SILENT_SECONDS || started.inFlight() === 0) return undefined;
    return `no reply yet from ${started.hosts.join(", ")} for ${seconds} s`;
  }
  const hear = (event: RunEvent): void => {
    if (event.kind === "call") repliedMs = now();
    if (event.kind === "workers") workers = event.text;
    if (event.kind === "retry") error = event.error;
    if (event.kind !== "question") return;
    const { outcome } = event;
    if (outcome.kind === "failed") error = outcome.error;
    for (const count of [run, taskOf.get(event.cell)])
      if (count) count[outcome.kind === "failed" ? "failed" : "done"]++;
  };
  return { counts, hear };
}

/** A server that says nothing for so long is named. */
const SILENT_SECONDS = 20;

/** `40 s`, `26 min`, `3 h 5 min`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How many calls are queued, the oldest and why, in one line; undefined where none waits as long as `leastMs`. */
export function longestWait(waiting: readonly WaitingCalls[], leastMs: number): string | undefined {
  const [oldest] = waiting;
  if (oldest === undefined || oldest.oldestMs < leastMs || oldest.why === "slots") return undefined;
  const seconds = Math.round(oldest.oldestMs / 1000);
  const calls = waiting.reduce((sum, one) => sum + one.calls, 0);
  return `${countOf(calls, "call")} queued, the oldest ${seconds} s: ${oldest.name} ${reasons[oldest.why]}`;
}

const reasons: Readonly<Record<Exclude<WaitingCalls["why"], "slots">, string>> = {
  limit: "is at its limit a minute",
  rate: "takes no more at a time",
  busy: "is busy or asked to wait",
  down: "does not reply, and is tried again now and then",
};
