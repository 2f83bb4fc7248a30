import { relative } from "node:path";
import { Command, Option } from "commander";
import { type EvidenceSettings, exportEvidence } from "../app/evidence/export.js";
import { carried } from "../app/evidence/file.js";
import { deployments, relationships, weightKinds } from "../app/export/every-eval-ever.js";
import { type ExportSettings, exportForms, exportRun } from "../app/export/export.js";
import { UsageError } from "../errors.js";
import type { Terminal } from "./terminal.js";

type Flags = Omit<ExportSettings, "run" | "form"> &
  Omit<EvidenceSettings, "runs"> & { readonly form: ExportSettings["form"] | "evidence" };

/** `lamp-eval export RUN...`: a run's answers for other programs, or a file that others check. Sends nothing. */
export function exportCommand(io: Terminal): Command {
  return new Command("export")
    .argument("<run...>", "run folder, finished or not; evidence takes several, finished")
    .addOption(
      choice(
        "--form <form>",
        "official: LaMP's submission files; csv: a row a question; every-eval-ever: EvalEval's shared schema; evidence: a file that verify checks without a key",
        [...exportForms, "evidence"],
      ).makeOptionMandatory(),
    )
    .requiredOption("--out <path>", "the file; with --form official and every-eval-ever the folder")
    .option("--task <name>", "only this task of the run (not evidence, which holds all)")
    .option("--method <name>", "only this method of the run (not evidence)")
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
    .addOption(
      choice("--carry <what>", "evidence: replies (no prompts and golds), or all; all needs --licence", carried),
    )
    .option("--licence <id>", "licence of the data that --carry all hands on")
    .action((runs: readonly string[], { form, ...flags }: Flags) => {
      if (form === "evidence") return writeEvidence({ ...flags, runs }, io);
      const [run = "", ...more] = runs;
      if (more.length > 0) throw new UsageError(`--form ${form}: takes one run; export ${more[0]} by itself`);
      const { files, rows } = exportRun({ ...flags, run, form }, io);
      for (const file of files) io.out(relative(io.cwd, file) || file);
      io.err(`${rows} ${rows === 1 ? "row" : "rows"} exported`);
    });
}

function writeEvidence(settings: EvidenceSettings & Pick<ExportSettings, "task" | "method">, io: Terminal): void {
  const part = settings.task ?? settings.method;
  if (part !== undefined) throw new UsageError(`--form evidence: holds whole runs; leave ${part} out`);
  const { file, remarks } = exportEvidence(settings, io);
  io.out(relative(io.cwd, file) || file);
  for (const line of remarks) io.err(line);
}

const choice = (flag: string, help: string, of: readonly string[]): Option => new Option(flag, help).choices(of);
