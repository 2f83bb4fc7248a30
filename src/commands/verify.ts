import { Command } from "commander";
import { NOT_FOUND, type Verified, type VerifySettings, verify } from "../app/verify/verify.js";
import { version } from "../run/version.js";
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
    .option("--json", "print JSON");
  return command.action(async (run: string, { json = false, ...flags }: Flags) => {
    const verified = await verify({ ...flags, run }, io);
    io.out(json ? JSON.stringify(verified, undefined, 2) : renderVerified(verified));
    if (!verified.every(({ equal }) => equal)) setExitCode(command, exitCodes.failures);
  });
}

/** Prints a line an arm. */
export function renderVerified(verified: readonly Verified[], by = version()): string {
  const width = Math.max(...verified.map(({ arm }) => arm.length));
  return [
    ...verified.map(({ arm, said, equal }) => `${equal ? "equal   " : "DIFFERS "}  ${arm.padEnd(width)}  ${said}`),
    `Recomputed by lamp-eval ${by}. ${NOT_FOUND}`,
  ].join("\n");
}
