import { resolve } from "node:path";
import { appendText, writeText } from "../app/common/write-text.js";
import { type GateResult, renderAnnotations, renderGate, renderGateMarkdown, renderJunit } from "../app/gate/gate.js";
import { exitCodes } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** Files that a gate writes besides what it prints. */
export interface GateOutput {
  readonly junit?: string;
  readonly summary?: string;
}

/**
 * Prints a gate's answer, for programs one JSON line on stdout and the table on stderr, on a terminal the table alone, in its width; and
 * writes its files. Returns the exit code.
 */
export function publishGate(result: GateResult, { junit, summary }: GateOutput, io: Terminal): number {
  const exitCode = result.fails ? exitCodes.gate[result.verdict] : 0;
  const told = teller(renderGate(result), io);
  if (junit !== undefined) writeText(resolve(io.cwd, junit), renderJunit(result));
  summarize(summary, () => renderGateMarkdown(result), io);
  if (io.env.GITHUB_ACTIONS === "true") for (const line of renderAnnotations(result)) io.err(line);
  told({ exitCode, ...result });
  return exitCode;
}

/** Shows the table, and returns what shows the same to programs once all files are written. */
function teller(table: string, io: Terminal): (answer: object) => void {
  if (io.outIsTTY === true) {
    io.out(table);
    return () => undefined;
  }
  io.err(table);
  return (answer) => io.out(JSON.stringify(answer));
}

function summarize(given: string | undefined, text: () => string, io: Terminal): void {
  const file = given ?? io.env.GITHUB_STEP_SUMMARY;
  if (file !== undefined && file !== "") appendText(resolve(io.cwd, file), text());
}
