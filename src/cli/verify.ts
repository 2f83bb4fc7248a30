import { relative } from "node:path";
import { Command, Option } from "commander";
import { checkEvidence, isBelow, isEvidence, type Level, levels, renderEvidence } from "../app/evidence/check.js";
import { rescoreRun } from "../app/rescore.js";
import { acceptEdit } from "../app/verify/accept-edit.js";
import { allPassed, renderChecks, type VerifySettings, verify } from "../app/verify/verify.js";
import { UsageError } from "../errors.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<VerifySettings, "run"> {
  readonly json?: boolean;
  readonly acceptEdit?: string;
  readonly rescore?: boolean | undefined;
  readonly out?: string;
  readonly level?: Level;
}

/** `lamp-eval verify RUN` or `FILE`: makes every number again from the rows, and checks what the rows rest on. Calls no model. */
export function verifyCommand(io: Terminal): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder, or a file of evidence (export --form evidence)")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always found)")
    .option("--accept-edit <reason>", "accept edited records as they are; every table shows the reason from then on")
    .option("--rescore", "read the stored replies by today's rules instead, and print old and new numbers side by side")
    .option("--out <dir>", "with --rescore: also write a new run folder with the new readings")
    .addOption(
      new Option(
        "--level <level>",
        `of a file of evidence: exit ${exitCodes.belowLevel} where an arm is below it`,
      ).choices(levels),
    )
    .option("--json", "print JSON; with --rescore also every changed reading")
    .action(async (run: string, { rescore, ...flags }: Flags) => {
      if (isEvidence(run, io)) return setExitCode(command, await checkFile(run, { rescore, ...flags }, io));
      if (flags.level !== undefined) throw new UsageError(`--level ${flags.level}: works with a file of evidence`);
      if (rescore === true) return readAgain(run, flags, io);
      const { json, acceptEdit: reason, out, data } = flags;
      if (out !== undefined) throw new UsageError(`--out ${out}: works with --rescore`);
      if (reason !== undefined) io.tell(acceptEdit({ run, reason }, io));
      const checks = await verify({ run, ...(data === undefined ? {} : { data }) }, io);
      io.out(json === true ? JSON.stringify(checks, undefined, 2) : renderChecks(checks));
      if (!allPassed(checks)) setExitCode(command, exitCodes.failures);
    });
  return command;
}

async function checkFile(file: string, flags: Flags, io: Terminal): Promise<number> {
  const { acceptEdit: reason, rescore, out, data, json, level } = flags;
  const other = Object.entries({ "--accept-edit": reason, "--rescore": rescore, "--out": out }).find(
    ([, given]) => given,
  );
  if (other !== undefined) throw new UsageError(`${other[0]}: works with a run folder, ${file} is a file`);
  const checked = await checkEvidence({ file, data }, io);
  io.out(json === true ? JSON.stringify(checked, undefined, 2) : renderEvidence(checked));
  if (checked.level === "refused") return exitCodes.failures;
  return level !== undefined && isBelow(checked.level, level) ? exitCodes.belowLevel : exitCodes.done;
}

async function readAgain(run: string, { json, acceptEdit: reason, ...flags }: Flags, io: Terminal): Promise<void> {
  if (reason !== undefined) throw new UsageError("--accept-edit: works without --rescore; give a command for each");
  const { text, written, ...result } = await rescoreRun({ ...flags, run }, io);
  io.out(json === true ? JSON.stringify(result, undefined, 2) : text);
  if (written !== undefined) io.err(`the new readings are in ${relative(io.cwd, written) || "."}`);
}
