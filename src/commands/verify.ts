import { Command } from "commander";
import { renderVerified, type VerifySettings, verify } from "../app/verify/verify.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<VerifySettings, "run"> {
  readonly json?: boolean;
}

/** `lamp-eval verify RUN` or `FILE`: executes it again with its log in the place of everything outside. Calls no model. */
export function verifyCommand(io: Terminal): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder, or pack (export --form pack)")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always found)")
    .option("--json", "print JSON")
    .action(async (run: string, { json, ...flags }: Flags) => {
      const verified = await verify({ ...flags, run }, io);
      io.out(json === true ? JSON.stringify(verified, undefined, 2) : renderVerified(verified));
      if (!verified.every(({ equal }) => equal)) setExitCode(command, exitCodes.failures);
    });
  return command;
}
