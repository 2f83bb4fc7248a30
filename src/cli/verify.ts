import { relative } from "node:path";
import { Command } from "commander";
import { rescoreRun } from "../app/rescore.js";
import { acceptEdit } from "../app/verify/accept-edit.js";
import { allPassed, renderChecks, type VerifySettings, verify } from "../app/verify/verify.js";
import { UsageError } from "../errors.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<VerifySettings, "run"> {
  readonly json?: boolean;
  readonly acceptEdit?: string;
  readonly rescore?: boolean;
  readonly out?: string;
}

/** `lamp-eval verify <run>`: makes every number again from the rows, and checks what the rows rest on. Calls no model. */
export function verifyCommand(io: Terminal): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always found)")
    .option("--accept-edit <reason>", "accept edited records as they are; every table shows the reason from then on")
    .option("--rescore", "read the stored replies by today's rules instead, and print old and new numbers side by side")
    .option("--out <dir>", "with --rescore: also write a new run folder with the new readings")
    .option("--json", "print JSON; with --rescore also every changed reading")
    .action(async (run: string, { rescore, ...flags }: Flags) => {
      if (rescore === true) return readAgain(run, flags, io);
      const { json, acceptEdit: reason, out, ...settings } = flags;
      if (out !== undefined) throw new UsageError(`--out ${out}: works with --rescore`);
      if (reason !== undefined) io.tell(acceptEdit({ run, reason }, io));
      const checks = await verify({ ...settings, run }, io);
      io.out(json === true ? JSON.stringify(checks, undefined, 2) : renderChecks(checks));
      if (!allPassed(checks)) setExitCode(command, exitCodes.failures);
    });
  return command;
}

async function readAgain(run: string, { json, acceptEdit: reason, ...flags }: Flags, io: Terminal): Promise<void> {
  if (reason !== undefined) throw new UsageError("--accept-edit: works without --rescore; give a command for each");
  const { text, written, ...result } = await rescoreRun({ ...flags, run }, io);
  io.out(json === true ? JSON.stringify(result, undefined, 2) : text);
  if (written !== undefined) io.err(`the new readings are in ${relative(io.cwd, written) || "."}`);
}
