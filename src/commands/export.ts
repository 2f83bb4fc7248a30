import { relative } from "node:path";
import { Command, Option } from "commander";
import { deployments, relationships, weightKinds } from "../app/export/every-eval-ever.js";
import { type ExportSettings, exportForms, exportRun } from "../app/export/export.js";
import { exportPack } from "../app/export/pack.js";
import { UsageError } from "../errors.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<ExportSettings, "run" | "form"> {
  readonly form: ExportSettings["form"] | "pack";
  /** False with `--without-requests`. */
  readonly withoutRequests?: boolean;
}

/** `lamp-eval export RUN...`: a run's answers for other programs, or a file that others check. Sends nothing. */
export function exportCommand(io: Terminal): Command {
  return new Command("export")
    .argument("<run>", "run folder")
    .addOption(
      choice(
        "--form <form>",
        "official: LaMP's submission files; csv, parquet: a row a question; every-eval-ever: EvalEval's shared schema; pack: the whole run in one file, for run --replay, --reuse and verify",
        [...exportForms, "pack"],
      ).makeOptionMandatory(),
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
    .option("--without-requests", "pack: leave out requests, rows and golds, where the licence of the data asks for it")
    .option("--licence <id>", "licence of the data that samples hand on")
    .option("--data <dir>", "the data of the run, where samples need them and they were moved")
    .action(async (run: string, { form, withoutRequests, ...flags }: Flags) => {
      if (form === "pack") {
        const { file, remarks } = exportPack({ run, out: flags.out, withoutRequests }, io);
        io.out(relative(io.cwd, file) || file);
        for (const line of remarks) io.err(line);
        return;
      }
      if (withoutRequests === true) throw new UsageError("--without-requests: works with --form pack");
      const { files, rows } = await exportRun({ ...flags, run, form }, io);
      for (const file of files) io.out(relative(io.cwd, file) || file);
      io.err(`${rows} ${rows === 1 ? "row" : "rows"} exported`);
    });
}

const choice = (flag: string, help: string, of: readonly string[]): Option => new Option(flag, help).choices(of);
