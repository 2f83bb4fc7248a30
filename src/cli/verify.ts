import { Command } from "commander";
import { acceptEdit } from "../app/verify/accept-edit.js";
import { allPassed, renderChecks, type VerifySettings, verify } from "../app/verify/verify.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<VerifySettings, "run"> {
  readonly json?: boolean;
  readonly acceptEdit?: string;
}

/** `lamp-eval verify <run>`: makes every number again from the rows, and checks what the rows rest on. Writes nothing, unless an edit is accepted. */
export function verifyCommand(io: Terminal): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always at hand)")
    .option("--json", "print JSON")
    .option("--accept-edit <reason>", "take edited records as they stand; every table shows the reason for ever")
    .action(async (run: string, { json, acceptEdit: reason, ...flags }: Flags) => {
      if (reason !== undefined) io.tell(acceptEdit({ run, reason }, io));
      const checks = await verify({ ...flags, run }, io);
      io.out(json === true ? JSON.stringify(checks, undefined, 2) : renderChecks(checks));
      if (!allPassed(checks)) setExitCode(command, exitCodes.failures);
    });
  return command;
}
