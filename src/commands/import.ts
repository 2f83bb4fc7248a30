import { Command } from "commander";
import { type ImportSettings, openImport } from "../extend/import/import.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { collect, gather, integer, upTo } from "./flags.js";
import { openRequest, runOpened } from "./run-request.js";
import type { CommandIo } from "./terminal.js";

interface Flags extends Omit<ImportSettings, "options" | "argv"> {
  readonly set?: Record<string, string>;
}

/** `lamp-eval import`: predictions of another program become a run that report, compare, gate and verify accept. */
export function importCommand(io: CommandIo): Command {
  const command = new Command("import")
    .requiredOption(
      "--predictions <file>",
      "LaMP's predictions JSON, a list of {id, output}, JSON lines, CSV, or results of inspect_ai (JSON log), lm-evaluation-harness (samples) or promptfoo (JSON); repeatable: one file a repeat",
      gather,
    )
    .requiredOption("--task <name>", "task of the predictions (lamp-eval list tasks)")
    .requiredOption("--name <name>", "what the method is called in tables; no name of a built-in method")
    .option(
      "--columns <names>",
      "fields of the file, where they are called otherwise: id=question_id,prediction=answer",
    )
    .option("--data <dir>", "data folder that the predictions answer (default: the built-in demo data)")
    .option("--users <n>", "the first n users", integer)
    .option("--queries-per-user <n>", "at most n questions a user, drawn at random", integer)
    .option("--limit <n>", "at most n questions in all", integer)
    .option("--set <name=value>", "set a data option by its dotted name; repeatable", collect)
    .option("--seed <n>", "seed of drawn users (default: 0)", integer)
    .option("--simulated", "mark the numbers SIMULATED (predictions of an embedded model)")
    .option("--out <dir>", "run folder (default: results/<task>-<name>-<plan>)")
    .option("--max-failed <share>", "exit 1 when a larger share of questions has no prediction", upTo(1), 0)
    .action(async ({ set, ...flags }: Flags) => {
      const { world, remarks } = await openImport({ ...flags, options: set, argv: io.argv }, io, openRequest);
      const { ended, tables, notices } = await runOpened(world);
      io.out(tables.text);
      for (const remark of remarks) io.err(remark);
      for (const { level, text } of notices) if (level === "end") io.err(text);
      setExitCode(command, ended === "done" ? exitCodes.done : exitCodes.failures);
    });
  return command;
}
