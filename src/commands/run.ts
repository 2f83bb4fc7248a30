import { Command } from "commander";
import type { HandOut } from "../run/run.js";
import { estimateRun } from "./estimate.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { addRunFlags, type RunFlags, requestOf } from "./run-flags.js";
import { run } from "./run-request.js";
import type { Terminal } from "./terminal.js";
import { showPlan, watched } from "./watch.js";

/** `lamp-eval run`: plans, runs or resumes, and prints the tables. */
export function runCommand(io: Terminal): Command {
  const command = addRunFlags(new Command("run")).action(async (flags: RunFlags) =>
    setExitCode(command, await startRun(flags, io)),
  );
  return command;
}

/** Plans, runs or resumes, and prints the tables. Returns the exit code. */
export async function startRun(flags: RunFlags, io: Terminal): Promise<number> {
  if (flags.dryRun === true) {
    await dryRun(flags, io);
    return exitCodes.done;
  }
  return watched(io, flags, (watch, told) => run({ ...requestOf(flags), ...watch }, told, handOut));
}

/** Loaded only where there are workers. */
const handOut: HandOut = async (...given) => (await import("../workers/hand-out.js")).handOut(...given);

async function dryRun(flags: RunFlags, io: Terminal): Promise<void> {
  const { text, ...numbers } = await estimateRun({ ...requestOf(flags), onEvent: showPlan(io) }, io);
  io.out(flags.json === true ? JSON.stringify({ config: flags.config, ...numbers }, undefined, 2) : text);
}
