import { Command } from "commander";
import { armsText, validate } from "../app/validate/validate.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval validate FILE...`: checks config files key by key, and prints what they would run. Opens nothing else. */
export function validateCommand(io: Terminal): Command {
  const command = new Command("validate")
    .argument("<config...>", "config files, e.g. configs/personaagent-t2.yaml")
    .option("--demo", "check them as run --demo would run them")
    .action(async (files: string[], { demo }: { readonly demo?: boolean }) => {
      const found = await validate({ files, demo }, io);
      for (const { file, arms, problems, remarks } of found) {
        for (const problem of problems) io.err(`lamp-eval: ${problem}`);
        if (problems.length > 0) continue;
        for (const remark of remarks) io.err(`${file}: ${remark}`);
        if (arms.length > 0) io.out(`${file}: ${armsText(arms)}\n`);
      }
      const wrong = found.some(({ problems }) => problems.length > 0);
      setExitCode(command, wrong ? exitCodes.usage : exitCodes.done);
    });
  return command;
}
