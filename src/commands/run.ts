import { Command } from "commander";
import type { HandOut } from "../run/run.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { addRunFlags, type RunFlags, requestOf } from "./run-flags.js";
import { run } from "./run-request.js";
import type { Terminal } from "./terminal.js";
import { watched } from "./watch.js";

/** Prints what a run would ask for, and sends nothing. Loaded only where it is asked for. */
export type DryRun = (flags: RunFlags, io: Terminal) => Promise<void>;

/** `lamp-eval run`: plans, runs or resumes, and prints the tables. */
export function runCommand(io: Terminal, dryRun: DryRun): Command {
  const command = addRunFlags(new Command("run"));
  return command.action(async (flags: RunFlags) => setExitCode(command, await startRun(flags, io, dryRun)));
}

/** Plans, runs or resumes, and prints the tables. Returns the exit code. */
export async function startRun(flags: RunFlags, io: Terminal, dryRun: DryRun): Promise<number> {
  if (flags.dryRun !== true)
    return watched(io, flags, (watch, told) => run({ ...requestOf(flags), ...watch }, told, handOut));
  await dryRun(flags, io);
  return exitCodes.done;
}

/** Loaded only where there are workers. */
export const handOut: HandOut = async (...given) => (await import("../workers/hand-out.js")).handOut(...given);
