import { relative } from "node:path";
import { Command, Option } from "commander";
import { type ExportSettings, exportForms, exportRun } from "../app/export.js";
import type { Terminal } from "./terminal.js";

type Flags = Omit<ExportSettings, "run">;

/** `lamp-eval export RUN`: a run's answers for other programs. Sends nothing. */
export function exportCommand(io: Terminal): Command {
  return new Command("export")
    .argument("<run>", "run folder, finished or not")
    .addOption(
      new Option("--form <form>", "official: LaMP's submission files; csv, parquet: a row a question")
        .choices(exportForms)
        .makeOptionMandatory(),
    )
    .requiredOption("--out <path>", "the file; with --form official the folder, for one file a task, method and repeat")
    .option("--task <name>", "only this task of the run")
    .option("--method <name>", "only this method of the run")
    .action((run: string, flags: Flags) => {
      const { files, rows } = exportRun({ ...flags, run }, io);
      for (const file of files) io.out(relative(io.cwd, file) || file);
      io.err(`${rows} ${rows === 1 ? "row" : "rows"} exported`);
    });
}
