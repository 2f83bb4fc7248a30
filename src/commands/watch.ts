import { relative } from "node:path";
import cliProgress from "cli-progress";
import type { RunEnd } from "../run/ending.js";
import type { RunEvent, WaitingCalls } from "../run/io.js";
import { noticeText, type RunPlanned } from "../run/io.js";
import { demoModel, type RunRequest } from "../run/plan/settings.js";
import { countOf, grouped } from "../text/count.js";
import { exitCodes } from "./exit-code.js";
import { wrapText } from "./fit-text.js";
import type { RunFlags } from "./run-flags.js";
import type { RunResult } from "./run-request.js";
import type { Screen, Terminal } from "./terminal.js";
import { inert, stopOnInterrupt } from "./terminal.js";

/** What a run tells while it works, and how it is stopped. */
type Watch = Pick<RunRequest, "argv" | "signal" | "onEvent">;

/** Shows a run while it works; at the end prints its tables, and what is to be said of it. Returns the exit code. */
export async function watched(
  io: Terminal,
  flags: Pick<RunFlags, "json">,
  go: (watch: Watch, told: Terminal) => Promise<RunResult>,
): Promise<number> {
  const interrupt = new AbortController();
  let release = (): void => undefined;
  let wayOn = "resume with the same command";
  const live = io.quiet === true ? { show: () => undefined, say: () => undefined } : progress(io);
  const told = { ...io, tell: live.say, err: live.say };
  const shown = [showPlan(told), live.show, ...(io.verbose === true ? [showEvent(told)] : [])];
  const onEvent = (event: RunEvent): void => {
    if (event.kind === "planned") release = stopOnInterrupt(interrupt, told, () => wayOn); // until then it just ends the process
    if (event.kind === "started")
      wayOn += `; what is answered is in ${relative(io.cwd, event.folder) || "."} and is not paid for again`;
    for (const show of shown) show(event);
  };
  try {
    const watch = { argv: io.argv, signal: interrupt.signal, onEvent };
    const { ended, tables, notices } = await go(watch, told);
    if (flags.json === true) io.out(tables.json.trimEnd());
    else if (tables.text !== "") io.out(tables.text);
    const isSilent = io.quiet === true && ended === "done";
    for (const { level, text } of notices) if (level === "end" && !isSilent) io.err(text);
    return endCodes[ended];
  } finally {
    release();
  }
}

const endCodes: Readonly<Record<RunEnd, number>> = {
  done: exitCodes.done,
  failures: exitCodes.failures,
  cap: exitCodes.failures,
  refused: exitCodes.refused,
  waiting: exitCodes.waiting,
  interrupted: exitCodes.interrupted,
  stale: exitCodes.gate["stale-pack"],
};

/** Prints what is run on what, and notices. */
export const showPlan =
  (io: Terminal) =>
  (event: RunEvent): void => {
    if (event.kind === "planned") io.err(wrapText(openingLine(event), io.screen?.columns ?? Infinity).join("\n"));
    if (event.kind === "notice") io.err(noticeText(event));
  };

/** Prints calls, retries and questions as JSON lines. */
const showEvent =
  (io: Terminal) =>
  (event: RunEvent): void => {
    if (event.kind !== "planned" && event.kind !== "notice") io.err(JSON.stringify(event));
  };

/** What is run on what, and whether its numbers mean anything. */
function openingLine({ tasks, data, models, unpriced, answers, sweep }: RunPlanned): string {
  const demo = data === undefined ? "the built-in demo data (synthetic)" : `data ${data}`;
  const programs = answers === "programs";
  const embedded = answers === "embedded model";
  const numbers = embedded ? "; its numbers are SIMULATED" : "";
  const missing = [
    data === undefined ? "--data DIR" : "",
    models.length === 0 && !programs ? "--model PROVIDER/ID" : "",
  ].filter(Boolean);
  const hint = missing.length === 0 ? "" : `; for real ones: ${missing.join(" ")}`;
  const kind = sweep === undefined ? "" : `, sweep ${sweep}`;
  const priced = models.map((id) => (unpriced.includes(id) ? `${id} (price unknown: --prices FILE)` : id));
  const named = priced.length === 0 ? demoModel : priced.join(", ");
  return `lamp-eval run${kind}: ${tasks.join(", ")} on ${demo}, ${programs ? "programs without a model" : `${embedded ? "the embedded model" : "model"} ${named}`}${numbers}${hint}`;
}

/** Shows how far a run is. */
interface Progress {
  show(event: RunEvent): void;
  /** Prints a message on stderr, above the bars where there are some. */
  say(text: string): void;
}

interface Display {
  /** Is called every second. */
  tick(): void;
  say(text: string): void;
  stop(): void;
}

const TICK_MS = 1_000;
/** Ticks between two lines. */
const LINE_TICKS = 30;
/** A line names waits of this length and longer. */
const LONG_WAIT_MS = 30_000;
/** A server that says nothing for so long is named. */
const SILENT_SECONDS = 20;

/** Draws bars on a terminal. Elsewhere, under CI and on a dumb terminal: a line at the start and one every 30 s. */
export function progress(io: Terminal): Progress {
  const { screen, env, err } = io;
  const isDrawn = !env.CI && env.TERM !== "dumb";
  let counts: Counts | undefined;
  let display: Display | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    say(text) {
      if (display === undefined) err(text);
      else display.say(text);
    },
    show(event) {
      if (event.kind === "started") {
        counts = new Counts(event, () => io.clock.monotonic());
        display = isDrawn && screen !== undefined ? bars(counts, screen) : lines(counts, err);
        timer = setInterval(display.tick, TICK_MS).unref();
      } else if (event.kind === "stopped") {
        clearInterval(timer);
        display?.stop();
        display = undefined;
      } else counts?.hear(event);
    },
  };
}

function lines(counts: Counts, err: (line: string) => void): Display {
  let ticks = 0;
  const done = (): string => `${grouped(counts.done)} of ${grouped(counts.questions)} questions done`;
  err(`run started: ${done()}`);
  return {
    tick() {
      ticks += 1;
      if (ticks % LINE_TICKS !== 0) return;
      const { lastError: error } = counts;
      const last = error === undefined ? [] : [`last error: ${error.replaceAll(/\s+/g, " ").slice(0, 200)}`];
      err([done(), `${counts.failed} failed`, ...counts.state(LONG_WAIT_MS), ...last].map(inert).join(", "));
    },
    say: err,
    stop: () => undefined,
  };
}

/** A bar with what the run is at. */
function bars(counts: Counts, screen: Screen): Display {
  const region = new cliProgress.MultiBar(
    {
      ...{ stream: screen, fps: 4, forceRedraw: true, hideCursor: true, clearOnComplete: false, stopOnComplete: false },
      format: "{bar} {value}/{total}{more}",
    },
    cliProgress.Presets.shades_classic,
  );
  const bar = region.create(counts.questions, 0);
  const tick = (): void => {
    const failed = counts.failed === 0 ? [] : [`${counts.failed} failed`];
    const more = [...failed, ...counts.state(0)].map((text) => `, ${inert(text)}`).join("");
    bar.update(counts.done, { more });
  };
  tick();
  return {
    tick,
    say: (text) => region.log(`${text}\n`),
    stop() {
      tick();
      region.update(); // prints what was said last, above the last bar
      region.stop();
    },
  };
}

type Started = Extract<RunEvent, { readonly kind: "started" }>;

/** How far a run is, by what it tells. */
class Counts {
  readonly questions: number;
  /** Questions with a reply. */
  done = 0;
  failed = 0;
  lastError: string | undefined;
  readonly #started: Started;
  readonly #now: () => number;
  readonly #startMs: number;
  #repliedMs: number;
  #workers: string | undefined;

  constructor(started: Started, now: () => number) {
    this.#started = started;
    this.#now = now;
    this.#startMs = now();
    this.#repliedMs = this.#startMs;
    this.questions = started.questions;
  }

  hear(event: RunEvent): void {
    if (event.kind === "call") this.#repliedMs = this.#now();
    if (event.kind === "workers") this.#workers = event.text;
    if (event.kind === "retry") this.lastError = event.error;
    if (event.kind !== "question") return;
    const { outcome } = event;
    if (outcome.kind === "failed") this.lastError = outcome.error;
    this[outcome.kind === "failed" ? "failed" : "done"] += 1;
  }

  /** Calls in flight, what calls wait for, dollars spent and the remaining time. */
  state(leastWaitMs: number): string[] {
    const { spentUsd, inFlight, waiting, hosts } = this.#started;
    const usd = spentUsd();
    const silent = Math.floor((this.#now() - this.#repliedMs) / 1000);
    const isSilent = silent >= SILENT_SECONDS && inFlight() > 0;
    const wait =
      waitText(waiting(), leastWaitMs) ?? (isSilent ? `no reply yet from ${hosts.join(", ")} for ${silent} s` : "");
    const left = ((this.#now() - this.#startMs) * (this.questions - this.done - this.failed)) / this.done / 1000;
    const spent = usd === undefined ? "" : `$${usd.toFixed(4)} spent`;
    const eta = `ETA ${this.done === 0 ? "-" : duration(left)}`;
    return [this.#workers ?? `${countOf(inFlight(), "call")} in flight`, wait, spent, eta].filter(
      (text) => text !== "",
    );
  }
}

/** `40 s`, `26 min`, `3 h 5 min`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How many calls are queued, the oldest and why, in one line; undefined where none waits as long as `leastMs`. */
function waitText(waiting: readonly WaitingCalls[], leastMs: number): string | undefined {
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
