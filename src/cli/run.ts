import { Command } from "commander";
import { setExitCode } from "./exit-code.js";
import { addRunFlags, type RunFlags } from "./flags/add-run-flags.js";
import { startRun } from "./start-run.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval run`: plans, runs or resumes, and prints the tables. */
export function runCommand(io: Terminal): Command {
  const command = addRunFlags(new Command("run")).action(async (flags: RunFlags) =>
    setExitCode(command, await startRun(flags, io)),
  );
  return command;
}
