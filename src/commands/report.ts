import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { catalogueOf } from "../plan/catalogue.js";
import { runFiles } from "../record/rows.js";
import { type ReadingIo, refuseAbsent } from "../record/stored-run.js";
import { type ChartName, chartInput, chartNames, saveCharts } from "../report/charts/index.js";
import { groupTables, HISTORY_LENGTH, perUserTables, tagsOf } from "../report/groups.js";
import { joinResults } from "../report/join.js";
import { type LoadedResults, loadResults } from "../report/load.js";
import { referenceMethod, referenceOf, rendered, renderRun, type TableForm, tableForms } from "../report/render.js";
import { armLabel, isNamed } from "../results/arms.js";
import type { Summary } from "../results/summary.js";
import { unknownAnswers } from "../run/ending.js";
import type { CommandIo } from "./terminal.js";

export type ReportForm = TableForm | "html";

export interface ReportSettings {
  /** Run folders, finished or not, or a folder of them. Several are joined into one table. */
  readonly runs: readonly string[];
  /** Default: text. `html` is the page with every table, chart and transcript. */
  readonly form?: ReportForm;
  readonly out?: string;
  /** True: text and documents have every column. */
  readonly wide?: boolean;
  /** Kinds of charts to draw into the figures folder. */
  readonly figures?: readonly ChartName[];
  /** The method that gains are counted over. Default: `prompt`, in an ablation the full method. */
  readonly reference?: string;
  /** The first metric by the length of histories (`history-length`) or by a tag of the questions, in place of the results. */
  readonly by?: string;
  /** The first metric of every user, in place of the results. */
  readonly perUser?: boolean;
}

export interface Report {
  readonly results: readonly Summary[];
  readonly text: string;
  /** Where the text was written, absolute; undefined: nowhere. */
  readonly file: string | undefined;
  readonly figures: readonly string[];
}

/** Makes the tables of runs, or the page. Sends nothing. Throws UsageError where there is no run. */
export async function report(settings: ReportSettings, io: ReadingIo): Promise<Report> {
  const { out, reference, figures = [] } = settings;
  const stored = io.runs.all(settings.runs);
  const run = stored.length === 1 ? stored[0] : undefined;
  if (run === undefined && figures.length > 0) throw new UsageError("--figures: name one run");
  const catalogue = catalogueOf(io);
  const loaded =
    run === undefined ? joinResults(stored, catalogue, { equal: true }) : loadResults(run, catalogue, { judges: true });
  const isAbsent = !loaded.summaries.some((summary) => isNamed(summary, summary.settings, reference ?? summary.method));
  if (isAbsent)
    refuseAbsent(settings.runs.join(" "), { flag: "--reference", name: reference }, loaded.summaries.map(armLabel));
  if (run !== undefined) for (const line of unknownAnswers(run.log.state.money)) io.tell(line);
  const over = reference ?? referenceOf(loaded);
  const drawn = run === undefined ? [] : await saveCharts(run.path, figures, chartInput(loaded, over));
  const text = await textOf(loaded, { ...settings, over });
  const file = out === undefined ? undefined : resolve(io.cwd, out);
  if (file !== undefined) writeWhole(file, text, { shared: run === undefined || !file.startsWith(run.path) });
  return { results: loaded.summaries, text, file, figures: drawn };
}

async function textOf(
  loaded: LoadedResults,
  { runs, form = "text", over, by, perUser, wide }: ReportSettings & { readonly over: string },
): Promise<string> {
  if (form === "html") return (await import("../report/page/of-run.js")).pageOf(loaded, over); // it carries a script
  if (perUser === true) return rendered(perUserTables(loaded), form);
  if (by === undefined) return renderRun(loaded, form, { over, wide });
  const units = loaded.stored?.units ?? []; // a joined table has none
  refuseAbsent(runs.join(" "), { flag: "--by", name: by }, [
    ...(units.length > 0 ? [HISTORY_LENGTH] : []),
    ...tagsOf(loaded.rows),
  ]);
  return rendered(groupTables({ by, over, units }, loaded), form);
}

interface Flags extends Omit<ReportSettings, "runs" | "form"> {
  readonly format: ReportForm;
  readonly html?: boolean;
}

/** `lamp-eval report RUN...`: the tables of runs. */
export function reportCommand(io: CommandIo): Command {
  return new Command("report")
    .argument("<run...>", "run folder; several, or a folder of runs: one table over all")
    .addOption(new Option("--format <form>", "form of the output").choices([...tableForms, "html"]).default("text"))
    .addOption(
      new Option(
        "--html",
        `write the page with every table, chart and transcript as ${runFiles.page} into the run folder; for several runs, into this folder`,
      ).conflicts(["format", "by", "perUser", "wide"]),
    )
    .option("--out <file>", "write to this file instead")
    .option("--figures <kinds>", `draw charts into figures/ of the run folder: ${chartNames.join(", ")}`, chartsNamed)
    .option("--wide", "every column, and the notes of every arm")
    .option(
      "--by <group>",
      `the first metric and its gain by groups of questions instead: ${HISTORY_LENGTH} (quarters), or a tag, e.g. question_type`,
    )
    .addOption(new Option("--per-user", "the first metric of every user instead").conflicts(["by", "wide"]))
    .option(
      "--reference <method>",
      `gains are counted over it: rag, or "rag history.control=none" (default: ${referenceMethod}; in an ablation the full method)`,
    )
    .action(async (runs: readonly string[], { format, html, ...flags }: Flags) => {
      const pageFile = runs.length === 1 ? join(runs[0]!, runFiles.page) : runFiles.page;
      const page = html === true ? { form: "html" as const, out: flags.out ?? pageFile } : {};
      const { text, file, figures } = await report({ ...flags, runs, form: format, ...page }, io);
      if (flags.figures !== undefined) {
        const none = "nothing to draw: the run has no scored answers for these charts";
        const line = figures.map((path) => relative(io.cwd, path)).join("\n") || none;
        if (format === "text" && file === undefined) return io.out(line);
        io.err(line);
      }
      io.out(file === undefined ? text.trimEnd() : relative(io.cwd, file));
    });
}

/** Throws UsageError on a kind that there is not. */
const chartsNamed = (kinds: string): ChartName[] =>
  kinds.split(",").map((name) => {
    const known = chartNames.find((kind) => kind === name);
    if (known !== undefined) return known;
    throw new UsageError(`--figures ${name}: no such chart; there are ${chartNames.join(", ")}`);
  });
