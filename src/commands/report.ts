import { relative, resolve } from "node:path";
import { Command, Option } from "commander";
import {
  pageFile,
  type ReportForm,
  type ReportSettings,
  referenceMethod,
  report,
  reportForms,
} from "../app/report/report.js";
import { holdsRuns, reportRuns } from "../app/report/runs.js";
import { UsageError } from "../errors.js";
import { type ChartName, chartNames } from "../report/charts/index.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<ReportSettings, "run" | "form"> {
  readonly format: ReportForm;
  readonly html?: boolean;
}

/** `lamp-eval report <run>`: the tables of a run folder, finished or not. Sends nothing, writes only what it is asked to. */
export function reportCommand(io: Terminal): Command {
  return new Command("report")
    .argument(
      "<run...>",
      "run folder, e.g. results/lamp2m-rag-1a2b3c4d; several, or a folder of runs: what each came to",
    )
    .addOption(new Option("--format <form>", "form of the output").choices(reportForms).default("text"))
    .option("--html", `write the page with every table, chart and transcript as ${pageFile("")} into the run folder`)
    .option("--out <file>", "write to this file instead")
    .option(
      "--figures <kinds>",
      `draw charts into figures/ of the run folder as .svg: ${chartNames.join(", ")}`,
      chartsNamed,
    )
    .option("--wide", "every column, and the notes of every arm")
    .option("--columns <keys>", "these columns, e.g. gain,f1,usd (keys as in --format json and csv)", (keys: string) =>
      keys.split(","),
    )
    .option("--per-user", "tables of groups of users instead: quartiles of history size, cold start, worst decile")
    .option("--by <tag>", "the first metric by the values of a tag of the questions instead, e.g. question_type")
    .option(
      "--over <method>",
      `the method that gains are counted over, and that LaTeX marks differences from (default: ${referenceMethod}; in the LaTeX of an ablation the full method)`,
    )
    .action(async (runs: readonly string[], flags: Flags) => {
      const [run = "."] = runs;
      if (runs.length > 1 || holdsRuns(resolve(io.cwd, run))) return several(runs, flags, io);
      const settings = { ...withPage(run, flags), run };
      const { text, file, figures } = await report(settings, io);
      const isAlone =
        settings.form === "text" && file === undefined && flags.perUser !== true && flags.by === undefined; // else stdout is the report's
      if (figures !== undefined) {
        const line =
          figures.length === 0
            ? "nothing to draw: the run has no scored answers for these charts"
            : figures.map((path) => relative(io.cwd, path)).join("\n");
        if (isAlone) return io.out(line);
        io.err(line);
      }
      io.out(file === undefined ? text.trimEnd() : relative(io.cwd, file));
    });
}

/** Throws UsageError on a kind that there is not. */
function chartsNamed(kinds: string): ChartName[] {
  return kinds.split(",").map((name) => {
    const known = chartNames.find((kind) => kind === name);
    if (known === undefined)
      throw new UsageError(`--figures ${name}: no such chart; there are ${chartNames.join(", ")}`);
    return known;
  });
}

/** The runs in a folder, or several that are named. Throws UsageError on what is of one run alone. */
function several(runs: readonly string[], flags: Flags, io: Terminal): void {
  const { format, html, out, ...ofOne } = flags;
  const form = html === true ? "html" : format;
  const [other] = Object.keys(ofOne);
  if (other !== undefined || (form !== "text" && form !== "json"))
    throw new UsageError(
      `${other === undefined ? `--format ${form}` : `--${other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`} is for one run; over several runs there are text and json`,
    );
  const { text, file } = reportRuns({ runs, form, out }, io);
  io.out(file === undefined ? text.trimEnd() : relative(io.cwd, file));
}

/** `--html` is the page, in its place in the run folder where no other file is named. Throws UsageError on what it is not. */
function withPage(run: string, { format, html, ...flags }: Flags): Omit<ReportSettings, "run"> {
  if (html !== true) return { ...flags, form: format };
  if (format !== "text" && format !== "html")
    throw new UsageError(`--html writes the page, --format ${format} a table: ask for one at a time`);
  return { ...flags, form: "html", out: flags.out ?? pageFile(run) };
}
