import { relative } from "node:path";
import cliProgress from "cli-progress";
import type { RunEvent, Waiting } from "../plan/io.js";
import { noticeText, type RunPlanned } from "../plan/io.js";
import { demoModel, type RunRequest } from "../plan/settings.js";
import type { RunEnd } from "../run/ending.js";
import { countOf, grouped } from "../text/count.js";
import { duration } from "./duration.js";
import { exitCodes } from "./exit-code.js";
import { wrapText } from "./fit-text.js";
import { printJson } from "./json.js";
import type { RunResult } from "./run-request.js";
import type { CommandIo, Interrupt, Screen, Terminal } from "./terminal.js";
import { escapeControls, stopOnInterrupt } from "./terminal.js";

/** What a run reports while it works, and how it is stopped. */
type Watch = Pick<RunRequest, "argv" | "signal" | "onEvent">;

/** Shows a run while it works; at the end prints its tables and the notices of its end. Returns the exit code. */
export async function watched(
  io: CommandIo,
  flags: { readonly json?: boolean },
  start: (watch: Watch, progressIo: CommandIo) => Promise<RunResult>,
): Promise<number> {
  const interrupt = new AbortController();
  let release = (): void => undefined;
  let folder: string | undefined;
  const nextStep = (): string =>
    folder === undefined
      ? "resume with the same command"
      : `resume with the same command; what is answered is in ${relative(io.cwd, folder) || "."} and is not paid for again`;
  const live = io.quiet === true ? { show: () => undefined, say: () => undefined } : progress(io);
  const progressIo = { ...io, tell: live.say, err: live.say };
  const listeners = [showPlan(progressIo), live.show, ...(io.verbose === true ? [showEvent(progressIo)] : [])];
  const onEvent = (event: RunEvent): void => {
    if (event.kind === "planned") release = stopOnInterrupt(interrupt, progressIo, nextStep); // until then it just ends the process
    if (event.kind === "started") folder = event.folder;
    for (const listener of listeners) listener(event);
  };
  try {
    const watch = { argv: io.argv, signal: interrupt.signal, onEvent };
    const { ended, tables, notices, calls, folder: path } = await start(watch, progressIo);
    const atEnd = notices.flatMap(({ level, text }) => (level === "end" ? [text] : []));
    const { paidUsd: usd = null, ...sent } = calls;
    const facts = { ended, messages: atEnd, folder: relative(io.cwd, path) || ".", calls: sent, usd };
    const signal: Interrupt = interrupt.signal.reason ?? "SIGINT";
    const exitCode = ended === "interrupted" ? exitCodes.signals[signal] : endCodes[ended];
    if (flags.json === true) printJson(io, "run", { ...facts, ...JSON.parse(tables.json) }, exitCode);
    else if (tables.text !== "") io.out(tables.text);
    const isSilent = io.quiet === true && ended === "done";
    for (const text of isSilent ? [] : atEnd) io.err(text);
    return exitCode;
  } finally {
    release();
  }
}

const endCodes: Readonly<Record<Exclude<RunEnd, "interrupted">, number>> = {
  done: exitCodes.done,
  failures: exitCodes.failures,
  cap: exitCodes.failures,
  refused: exitCodes.refused,
  waiting: exitCodes.waiting,
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

/** Names what is run on which data and model, and which of these stand in for real ones. */
function openingLine({ tasks, data, models, unpriced, answers, sweep }: RunPlanned): string {
  const kind = sweep === undefined ? "run" : `sweep ${sweep}`;
  const named = models.map((id) => (unpriced.includes(id) ? `${id} (price unknown: --prices FILE)` : id)).join(", ");
  const model = {
    programs: "programs without a model",
    model: `model ${named}`,
    "embedded model": `the embedded model ${named || demoModel}: its numbers are SIMULATED (for real ones: --model PROVIDER/ID)`,
  }[answers];
  const files = data === undefined ? "the built-in demo data (synthetic; for real ones: --data DIR)" : `data ${data}`;
  return `lamp-eval ${kind}: ${tasks.join(", ")} on ${files}, ${model}`;
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
export function progress({ screen, env, err, clock }: Terminal): Progress {
  const isDrawn = !env.CI && env.TERM !== "dumb";
  let counts: Counts | undefined;
  let display: Display | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    say: (text) => (display?.say ?? err)(text),
    show(event) {
      if (event.kind === "started") {
        counts = new Counts(event, () => clock.monotonic());
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
  let told: string | undefined;
  err(`run started: 0 of ${countOf(counts.run.questions, "question")}`);
  return {
    tick() {
      ticks += 1;
      if (ticks % LINE_TICKS !== 0) return;
      const { run, lastError } = counts;
      const done = `${grouped(run.done)} of ${countOf(run.questions, "question")}`;
      const [first = "", ...more] = counts.state(LONG_WAIT_MS);
      const failed = run.failed === 0 ? [] : [`${run.failed} failed`];
      err(fitting([first, done, ...failed, ...more].map(escapeControls), LINE_COLUMNS));
      if (lastError !== undefined && lastError !== told)
        err(escapeControls(`last error: ${lastError.replaceAll(/\s+/g, " ").slice(0, 200)}`));
      told = lastError;
    },
    say: err,
    stop: () => undefined,
  };
}

/** Columns of a line where there is no terminal. */
const LINE_COLUMNS = 80;

/** Joins the parts, the most important first, that fit into so many columns. */
function fitting(parts: readonly string[], columns: number): string {
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}, ${part}`;
    if (line === "" || longer.length <= columns) line = longer;
  }
  return line;
}

/** Lines of the terminal that bars leave free. */
const FREE_ROWS = 4;
const CLEAR_RIGHT = "\u001b[K";

/** A bar a task, as far as there is room for those that go on, and below them one with what the run is at. */
function bars({ tasks, run, state }: Counts, screen: Screen): Display {
  const region = new cliProgress.MultiBar(
    {
      ...{ stream: screen, fps: 4, forceRedraw: true, hideCursor: true, clearOnComplete: false, stopOnComplete: false },
      ...{ barsize: Math.min(40, Math.floor(screen.columns / 4)), format: "{bar} {value}/{total}{more}" },
    },
    cliProgress.Presets.shades_classic,
  );
  const room = tasks.length === 1 ? 0 : Math.max(0, screen.rows - FREE_ROWS - 1);
  const ofTasks = tasks.slice(0, room).map(({ questions }) => region.create(questions, 0));
  const ofRun = region.create(run.questions, 0);
  const tick = (): void => {
    const open = tasks.filter(({ questions, done, failed }) => done + failed < questions);
    const shown = tasks.length > room ? [...open, ...tasks.filter((task) => !open.includes(task))] : tasks;
    for (const [n, bar] of ofTasks.entries()) {
      const { name, questions, done, failed } = shown[n]!; // as many as there are bars
      bar.setTotal(questions);
      bar.update(done, { more: ` ${name}${failedText(failed)}` });
    }
    const [first = "", ...more] = state(0).map(escapeControls);
    ofRun.update(run.done, { more: [`, ${first}${failedText(run.failed)}`, ...more].join(", ") });
  };
  tick();
  return {
    tick,
    say: (text) =>
      region.log(
        wrapText(text, screen.columns)
          .map((line) => `${line}${CLEAR_RIGHT}\n`)
          .join(""),
      ),
    stop() {
      tick();
      region.update(); // prints what was said last, above the last bars
      region.stop();
    },
  };
}

const failedText = (failed: number): string => (failed === 0 ? "" : `, ${failed} failed`);

type Started = Extract<RunEvent, { readonly kind: "started" }>;

/** Progress of a task, or of the run. */
interface Count {
  readonly name: string;
  questions: number;
  /** Questions with a reply. */
  done: number;
  failed: number;
}

/** Progress of a run, by what it tells. */
class Counts {
  readonly run: Count = { name: "", questions: 0, done: 0, failed: 0 };
  readonly tasks: readonly Count[];
  lastError: string | undefined;
  readonly #taskOf: ReadonlyMap<string, Count>;
  readonly #started: Started;
  readonly #now: () => number;
  readonly #startMs: number;
  #repliedMs: number;
  #replies = 0;
  #workers: string | undefined;

  constructor(started: Started, now: () => number) {
    this.#started = started;
    this.#now = now;
    this.#startMs = now();
    this.#repliedMs = this.#startMs;
    const tasks = new Map<string, Count>();
    this.#taskOf = new Map(
      started.arms.map(({ arm, task, questions }) => {
        const count = tasks.get(task) ?? { name: task, questions: 0, done: 0, failed: 0 };
        for (const one of [count, this.run]) one.questions += questions;
        tasks.set(task, count);
        return [arm, count];
      }),
    );
    this.tasks = [...tasks.values()];
  }

  hear(event: RunEvent): void {
    if (event.kind === "call") {
      this.#repliedMs = this.#now();
      this.#replies += 1;
    }
    if (event.kind === "call" && !event.fromStore) this.lastError = undefined; // the server answers again
    if (event.kind === "workers") this.#workers = event.text;
    if (event.kind === "retry") this.lastError = event.error;
    if (event.kind !== "question") return;
    const { arm, outcome } = event;
    if (outcome.kind === "failed") this.lastError = outcome.error;
    for (const count of [this.#taskOf.get(arm), this.run])
      if (count !== undefined) count[outcome.kind === "failed" ? "failed" : "done"] += 1;
  }

  /** The remaining time, or how many calls are answered; what calls wait for, calls in flight and dollars spent. */
  readonly state = (leastWaitMs: number): string[] => {
    const { spentUsd, inFlight, waiting, hosts } = this.#started;
    const { questions, done, failed } = this.run;
    const usd = spentUsd();
    const silent = Math.floor((this.#now() - this.#repliedMs) / 1000);
    const isSilent = silent >= SILENT_SECONDS && inFlight() > 0;
    const wait =
      waitText(waiting(), leastWaitMs) ?? (isSilent ? `no reply for ${silent} s from ${hosts.join(", ")}` : "");
    const left = ((this.#now() - this.#startMs) * (questions - done - failed)) / done / 1000;
    const eta = done === 0 ? `${countOf(this.#replies, "call")} answered` : `ETA ${duration(left)}`;
    const spent = usd === undefined ? "" : `$${usd.toFixed(4)}`;
    return [eta, wait, this.#workers ?? `${countOf(inFlight(), "call")} in flight`, spent].filter(
      (text) => text !== "",
    );
  };
}

/** Says how many calls are queued, the oldest and why, in one line; undefined where none waits as long as `leastMs`. */
function waitText(waiting: readonly Waiting[], leastMs: number): string | undefined {
  const [oldest] = waiting;
  if (oldest === undefined || oldest.oldestMs < leastMs || oldest.why === "slots") return undefined;
  const seconds = Math.round(oldest.oldestMs / 1000);
  const calls = waiting.reduce((sum, one) => sum + one.calls, 0);
  return `${calls} wait${calls === 1 ? "s" : ""} ${seconds} s: ${reasons[oldest.why]}`;
}

const reasons: Readonly<Record<Exclude<Waiting["why"], "slots">, string>> = {
  limit: "limit per minute",
  rate: "the rate it takes",
  busy: "busy",
  down: "does not reply",
};
