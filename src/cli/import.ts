import { Command } from "commander";
import { importRun } from "../app/import/import.js";
import type { ImportSettings } from "../app/import/source.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { collect, integer, upTo } from "./flags/run-flags.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<ImportSettings, "options" | "argv"> {
  readonly set?: Record<string, string>;
}

/** `lamp-eval import`: predictions of another program become a run that report, compare and gate accept. */
export function importCommand(io: Terminal): Command {
  const command = new Command("import")
    .option(
      "--predictions <file>",
      "official predictions JSON, a list of {id, output}, or JSON lines; repeatable: one file a repeat",
      (file: string, sofar: readonly string[] = []) => [...sofar, file],
    )
    .option("--task <name>", "task of the predictions (lamp-eval list tasks)")
    .option("--name <name>", "what the method is called in tables; no name of a built-in method")
    .option("--data <dir>", "data folder that the predictions answer (default: the built-in demo data)")
    .option("--users <n>", "the first n users", integer)
    .option("--queries-per-user <n>", "at most n questions a user, drawn at random", integer)
    .option("--limit <n>", "at most n questions in all", integer)
    .option("--set <name=value>", "set a data option by its dotted name; repeatable", collect)
    .option("--seed <n>", "seed of the draws of swap tests (default: 0)", integer)
    .option("--simulated", "mark the numbers SIMULATED (predictions of an embedded model)")
    .option("--out <dir>", "run folder (default: results/<task>-<name>-<plan>)")
    .option("--max-failed <share>", "exit 1 when a larger share of questions has no prediction", upTo(1), 0)
    .action(async ({ set, ...flags }: Flags) => {
      const { ended, text, remarks } = await importRun({ ...flags, options: set, argv: io.argv }, io);
      io.out(text);
      for (const remark of remarks) io.err(remark);
      setExitCode(command, ended === "done" ? exitCodes.done : exitCodes.failures);
    });
  return command;
}
