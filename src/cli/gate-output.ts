import { resolve } from "node:path";
import { appendText, writeText } from "../app/common/write-text.js";
import { type GateResult, renderAnnotations, renderGate, renderGateMarkdown, renderJunit } from "../app/gate/gate.js";
import { exitCodes } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** Files that a gate writes besides what it prints, and whether it prints JSON. */
export interface GateOutput {
  readonly json?: boolean;
  readonly junit?: string;
  readonly summary?: string;
}

/** Prints a gate's answer, with `json` one JSON line, and the text to stderr; and writes its files. Returns the exit code. */
export function publishGate(result: GateResult, { json, junit, summary }: GateOutput, io: Terminal): number {
  const exitCode = result.fails ? exitCodes.gate[result.verdict] : 0;
  (json === true ? io.err : io.out)(renderGate(result));
  if (junit !== undefined) writeText(resolve(io.cwd, junit), renderJunit(result));
  summarize(summary, () => renderGateMarkdown(result), io);
  if (io.env.GITHUB_ACTIONS === "true") for (const line of renderAnnotations(result)) io.err(line);
  if (json === true) io.out(JSON.stringify({ exitCode, ...result }));
  return exitCode;
}

function summarize(given: string | undefined, text: () => string, io: Terminal): void {
  const file = given ?? io.env.GITHUB_STEP_SUMMARY;
  if (file !== undefined && file !== "") appendText(resolve(io.cwd, file), text());
}
