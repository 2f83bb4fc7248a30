import { relative } from "node:path";
import { Command, Option } from "commander";
import { type ExportSettings, exportForms, exportRun } from "../app/export/export.js";
import { deployments, relationships, weightKinds } from "../app/export/exported-cell.js";
import type { Terminal } from "./terminal.js";

type Flags = Omit<ExportSettings, "run">;

/** `lamp-eval export RUN`: a run's answers for other programs. Sends nothing. */
export function exportCommand(io: Terminal): Command {
  return new Command("export")
    .argument("<run>", "run folder, finished or not")
    .addOption(
      new Option(
        "--form <form>",
        "official: LaMP's submission files; csv, parquet: a row a question; every-eval-ever: EvalEval's shared schema",
      )
        .choices(exportForms)
        .makeOptionMandatory(),
    )
    .requiredOption("--out <path>", "the file; with --form official and every-eval-ever the folder")
    .option("--task <name>", "only this task of the run")
    .option("--method <name>", "only this method of the run")
    .option("--organization <name>", "every-eval-ever: who publishes the results (required)")
    .addOption(
      choice(
        "--relationship <kind>",
        "every-eval-ever: of the publisher to the model (default: third_party)",
        relationships,
      ),
    )
    .addOption(choice("--deployment <kind>", "every-eval-ever: who runs the model (default: unknown)", deployments))
    .addOption(
      choice(
        "--weights <kind>",
        "every-eval-ever: whether the model's weights can be had (default: unknown)",
        weightKinds,
      ),
    )
    .option("--samples", "every-eval-ever: also every scored question with gold and reply; needs --licence")
    .option("--licence <id>", "every-eval-ever: licence of the questions and golds in samples")
    .option("--data <dir>", "the data of the run, where samples need them and they were moved")
    .action(async (run: string, flags: Flags) => {
      const { files, rows } = await exportRun({ ...flags, run }, io);
      for (const file of files) io.out(relative(io.cwd, file) || file);
      io.err(`${rows} ${rows === 1 ? "row" : "rows"} exported`);
    });
}

const choice = (flag: string, help: string, of: readonly string[]): Option => new Option(flag, help).choices(of);
