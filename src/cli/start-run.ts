import type { RunEvent, RunPlanned } from "../app/run/events.js";
import type { RunEnd } from "../app/run/result.js";
import { estimateRun, run } from "../app/run/run.js";
import { demoModel } from "../app/run/settings.js";
import { type RunFlags, requestOf } from "./add-run-flags.js";
import { exitCodes } from "./exit-code.js";
import { progress } from "./progress.js";
import type { Terminal } from "./terminal.js";

/** Plans, runs or resumes, and prints the tables. Returns the exit code. */
export async function startRun(flags: RunFlags, io: Terminal): Promise<number> {
  if (flags.dryRun === true) {
    const { phases, total, text } = await estimateRun({ ...requestOf(flags), onEvent: showPlan(io) }, io);
    io.out(flags.json === true ? JSON.stringify({ phases, total }, undefined, 2) : text);
    return exitCodes.done;
  }
  const interrupt = new AbortController();
  let release = (): void => undefined;
  const shown = [showPlan(io), progress(io)];
  const onEvent = (event: RunEvent): void => {
    if (event.kind === "planned") release = stopOnInterrupt(interrupt, io); // until then Ctrl-C just ends the process
    for (const show of shown) show(event);
  };
  try {
    const request = { ...requestOf(flags), argv: io.argv, signal: interrupt.signal, onEvent };
    const { ended, folder, catalogue, manifest, tables, remarks } = await run(request, io);
    if (flags.json === true) io.out(tables.json.trimEnd());
    else if (tables.text !== "") io.out(tables.text);
    for (const remark of remarks) io.err(remark);
    if (flags.report === true && manifest.finishedAt !== undefined)
      await (await import("../app/report/figures.js")).writeFiguresAndPage(folder, { ...io, catalogue });
    return endCodes[ended];
  } finally {
    release();
  }
}

// --- internal ---

const endCodes: Readonly<Record<RunEnd, number>> = {
  done: exitCodes.done,
  failures: exitCodes.failures,
  cap: exitCodes.failures,
  refused: exitCodes.usage,
  interrupted: exitCodes.interrupted,
  stale: exitCodes.gate["stale-cassette"],
};

/** The first Ctrl-C stops, the second leaves. Returns the release. */
const stopOnInterrupt = (interrupt: AbortController, io: Terminal): (() => void) =>
  io.onInterrupt(() => {
    if (interrupt.signal.aborted) io.leave(exitCodes.interrupted);
    io.err("\ninterrupted: finishing the calls in flight; Ctrl-C again leaves at once");
    interrupt.abort();
  });

const showPlan =
  (io: Terminal) =>
  (event: RunEvent): void => {
    if (event.kind === "planned") io.err(openingLine(event));
    if (event.kind === "remark") io.err(event.line);
  };

/** What is run on what, and whether its numbers mean anything. */
function openingLine({ tasks, data, models, answers, sweep }: RunPlanned): string {
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
  const named = models.length === 0 ? demoModel : models.join(", ");
  return `lamp-eval run${kind}: ${tasks.join(", ")} on ${demo}, ${programs ? "programs without a model" : `${embedded ? "the embedded model" : "model"} ${named}`}${numbers}${hint}`;
}
