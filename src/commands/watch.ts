import { relative } from "node:path";
import type { RunEnd } from "../run/ending.js";
import { noticeText, type RunEvent, type RunPlanned } from "../run/events.js";
import { demoModel, type RunRequest } from "../run/plan/settings.js";
import { exitCodes } from "./exit-code.js";
import { wrapText } from "./fit-text.js";
import { progress } from "./progress.js";
import type { RunFlags } from "./run-flags.js";
import type { RunResult } from "./run-request.js";
import type { Terminal } from "./terminal.js";
import { stopOnInterrupt } from "./terminal.js";

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
