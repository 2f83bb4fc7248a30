import { Command, Option } from "commander";
import { checkEvidence, isBelow, isEvidence, type Level, levels, renderEvidence } from "../app/evidence/check.js";
import { acceptEdit } from "../app/verify/accept-edit.js";
import { allPassed, renderChecks, type VerifySettings, verify } from "../app/verify/verify.js";
import { UsageError } from "../errors.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<VerifySettings, "run"> {
  readonly json?: boolean;
  readonly acceptEdit?: string;
  readonly level?: Level;
}

/** `lamp-eval verify RUN` or `FILE`: makes every number again from the rows, and checks what the rows rest on. Calls no model. */
export function verifyCommand(io: Terminal): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder, or a file of evidence (export --form evidence)")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always found)")
    .option("--accept-edit <reason>", "accept edited records as they are; every table shows the reason from then on")
    .addOption(
      new Option(
        "--level <level>",
        `of a file of evidence: exit ${exitCodes.belowLevel} where an arm is below it`,
      ).choices(levels),
    )
    .option("--json", "print JSON")
    .action(async (run: string, flags: Flags) => {
      if (isEvidence(run, io)) return setExitCode(command, await checkFile(run, flags, io));
      if (flags.level !== undefined) throw new UsageError(`--level ${flags.level}: works with a file of evidence`);
      const { json, acceptEdit: reason, data } = flags;
      if (reason !== undefined) io.tell(acceptEdit({ run, reason }, io));
      const checks = await verify({ run, ...(data === undefined ? {} : { data }) }, io);
      io.out(json === true ? JSON.stringify(checks, undefined, 2) : renderChecks(checks));
      if (!allPassed(checks)) setExitCode(command, exitCodes.failures);
    });
  return command;
}

async function checkFile(file: string, flags: Flags, io: Terminal): Promise<number> {
  const { acceptEdit: reason, data, json, level } = flags;
  if (reason !== undefined) throw new UsageError(`--accept-edit: works with a run folder, ${file} is a file`);
  const checked = await checkEvidence({ file, data }, io);
  io.out(json === true ? JSON.stringify(checked, undefined, 2) : renderEvidence(checked));
  if (checked.level === "refused") return exitCodes.failures;
  return level !== undefined && isBelow(checked.level, level) ? exitCodes.belowLevel : exitCodes.done;
}
