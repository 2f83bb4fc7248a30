import { resolve } from "node:path";
import { appendText, writeText } from "../app/common/write-text.js";
import { type GateResult, renderAnnotations, renderGate, renderGateMarkdown, renderJunit } from "../app/gate/gate.js";
import { type OldGateResult, renderOldGate, renderOldGateMarkdown } from "../app/gate/old-rule.js";
import { exitCodes } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** Files that a gate writes besides what it prints. */
export interface GateOutput {
  readonly junit?: string;
  readonly summary?: string;
}

/** Prints a gate's answer, one JSON line on stdout, and writes its files. Returns the exit code. */
export function publishGate(result: GateResult, { junit, summary }: GateOutput, io: Terminal): number {
  const exitCode = result.fails ? exitCodes.gate[result.verdict] : 0;
  io.err(renderGate(result));
  if (junit !== undefined) writeText(resolve(io.cwd, junit), renderJunit(result));
  summarize(summary, () => renderGateMarkdown(result), io);
  if (io.env.GITHUB_ACTIONS === "true") for (const line of renderAnnotations(result)) io.err(line);
  io.out(JSON.stringify({ exitCode, ...result }));
  return exitCode;
}

/** The same of the withdrawn rule of version 0.1.0, whose warning stands in each form. */
export function publishOldGate(result: OldGateResult, { summary }: GateOutput, io: Terminal): number {
  const exitCode = exitCodes.gate[result.verdict];
  io.err(renderOldGate(result));
  summarize(summary, () => renderOldGateMarkdown(result), io);
  if (io.env.GITHUB_ACTIONS === "true")
    io.err(`::warning title=lamp-eval gate::${result.withdrawn.replaceAll("%", "%25")}`);
  io.out(JSON.stringify({ exitCode, ...result }));
  return exitCode;
}

// --- internal ---

function summarize(given: string | undefined, text: () => string, io: Terminal): void {
  const file = given ?? io.env.GITHUB_STEP_SUMMARY;
  if (file !== undefined && file !== "") appendText(resolve(io.cwd, file), text());
}
