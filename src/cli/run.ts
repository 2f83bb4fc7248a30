import { Command } from "commander";
import { addRunFlags, type RunFlags, settingsOf } from "./add-run-flags.js";
import { setExitCode } from "./exit-code.js";
import type { Io } from "./io.js";
import { startRun } from "./start-run.js";

/** `lamp-eval run`: plans, runs or resumes, and prints the tables. */
export function runCommand(io: Io): Command {
  const command = addRunFlags(new Command("run"))
    .description("run methods on tasks and print the results table; the same command again resumes")
    .action(async (flags: RunFlags) => setExitCode(command, await startRun(settingsOf(flags, io.cwd), flags, io)));
  return command;
}
