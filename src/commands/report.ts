import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { readLog } from "../log/log.js";
import { type ChartName, chartNames } from "../report/charts/index.js";
import { joinResults } from "../report/join.js";
import { type LoadedResults, loadResults } from "../report/load.js";
import { perUserTables } from "../report/per-user.js";
import { referenceMethod, referenceOf, rendered, renderRun, type TableForm, tableForms } from "../report/render.js";
import { strataTables, tagsOf } from "../report/strata.js";
import type { ColumnChoice } from "../report/table.js";
import type { Summary } from "../results/summary.js";
import { catalogueOf } from "../run/catalogue.js";
import { unknownAnswers } from "../run/ending.js";
import type { Io } from "../run/io.js";
import { runFiles } from "../run/rows.js";
import { refuseAbsent, runsIn } from "../run/stored-run.js";
import type { Terminal } from "./terminal.js";

export type ReportForm = TableForm | "html";

export interface ReportSettings extends ColumnChoice {
  /** Run folders, finished or not, or a folder of them. Several are joined into one table. */
  readonly runs: readonly string[];
  /** Default: text. `html` is the page with every table, chart and transcript. */
  readonly form?: ReportForm;
  readonly out?: string;
  /** Kinds of charts to draw into the figures folder. */
  readonly figures?: readonly ChartName[];
  /** The method that gains are counted over. Default: `prompt`, in an ablation the full method. */
  readonly reference?: string;
  /** Groups of users in place of the results. */
  readonly perUser?: boolean;
  /** The first metric by the values of this tag of the questions, in place of the results. */
  readonly by?: string;
}

export interface Report {
  /** One an arm. */
  readonly results: readonly Summary[];
  /** In the asked form. */
  readonly text: string;
  /** Where the text was written, absolute; undefined: nowhere. */
  readonly file: string | undefined;
  /** Files of the charts, absolute; undefined where none were asked for. */
  readonly figures: readonly string[] | undefined;
}

type ReportIo = Pick<Io, "cwd" | "catalogue" | "tell">;

/** Makes the tables of runs, or the page. Sends nothing, writes only what it is asked to. Throws UsageError where there is no run. */
export async function report(settings: ReportSettings, io: ReportIo): Promise<Report> {
  const { form = "text", out, reference } = settings;
  refuseIgnored(settings, form);
  const [only, ...more] = foldersOf(settings.runs, io.cwd);
  const folder = more.length === 0 ? only?.folder : undefined;
  const loaded =
    folder === undefined
      ? joinResults([only!, ...more], io, { equal: true })
      : loadResults(folder, catalogueOf(io), only?.name);
  const methods = loaded.manifest.plan.cells.map(({ method }) => method);
  refuseAbsent(settings.runs.join(" "), "--reference", reference, [...methods, referenceMethod]);
  if (folder !== undefined) tellUnknown(folder, io);
  if (folder === undefined && (settings.figures !== undefined || settings.perUser === true))
    throw new UsageError("--figures and --per-user: name one run");
  const over = reference ?? referenceOf(loaded);
  const figures =
    folder === undefined || settings.figures === undefined
      ? undefined
      : await (await import("../report/charts/of-run.js")).saveCharts(folder, settings.figures, { loaded, over });
  const text =
    form === "html"
      ? await (await import("../report/page/of-run.js")).pageOf(folder, loaded, over)
      : await textOf(folder, loaded, { ...settings, form });
  const file = out === undefined ? undefined : resolve(io.cwd, out);
  if (file !== undefined) writeWhole(file, text, { shared: folder === undefined || !file.startsWith(folder) });
  return { results: loaded.summaries, text, file, figures };
}

/** A folder of runs stands for the runs in it. */
function foldersOf(runs: readonly string[], cwd: string) {
  return runs.flatMap((name) => {
    const folder = resolve(cwd, name);
    const inside = runsIn(folder);
    return inside.length === 0 ? [{ name, folder }] : inside.map((one) => ({ name: relative(cwd, one), folder: one }));
  });
}

function tellUnknown(folder: string, io: Pick<Io, "tell">): void {
  const log = readLog(join(folder, runFiles.log));
  log.close();
  for (const line of unknownAnswers(log.state.money)) io.tell(line);
}

function refuseIgnored({ perUser, by, wide, columns }: ReportSettings, form: ReportForm): void {
  const isOther = perUser === true || by !== undefined;
  if ((wide === true || columns !== undefined) && (isOther || form === "html" || form === "csv" || form === "json"))
    throw new UsageError(`--${wide === true ? "wide" : "columns"}: only tables of results as text leave columns out`);
  if (isOther && (form === "html" || (perUser === true && by !== undefined)))
    throw new UsageError(`--${by === undefined ? "per-user" : `by ${by}`}: is a table of its own; leave the other out`);
}

interface Asked extends ReportSettings {
  readonly form: TableForm;
}

/** What draws is loaded only where something is drawn. */
async function textOf(folder: string | undefined, results: LoadedResults, asked: Asked): Promise<string> {
  const { form, by, reference, wide, columns } = asked;
  if (asked.perUser === true && folder !== undefined) {
    const users = (await import("../report/page/of-run.js")).usersOf(
      folder,
      results,
      reference ?? referenceOf(results),
    );
    return rendered(perUserTables(users), form);
  }
  if (by === undefined) return renderRun(results, form, { over: reference, wide, columns });
  refuseAbsent(asked.runs.join(" "), "--by", by, tagsOf(results.rows));
  const { summaries, rows, tasks } = results;
  return rendered(strataTables(by, { summaries, rows, task: (name) => tasks.get(name) }), form);
}

/** Where the page belongs: in the folder of the one run, or the one folder of runs, else at hand. */
const pageFile = ([run = ".", ...more]: readonly string[]): string =>
  more.length === 0 ? join(run, runFiles.page) : runFiles.page;

interface Flags extends Omit<ReportSettings, "runs" | "form"> {
  readonly format: ReportForm;
  readonly html?: boolean;
}

/** `lamp-eval report RUN...`: the tables of runs. */
export function reportCommand(io: Terminal): Command {
  return new Command("report")
    .argument("<run...>", "run folder; several, or a folder of runs: one table over all")
    .addOption(new Option("--format <form>", "form of the output").choices([...tableForms, "html"]).default("text"))
    .option(
      "--html",
      `write the page with every table, chart and transcript as ${runFiles.page} into the run folder; over several runs here`,
    )
    .option("--out <file>", "write to this file instead")
    .option(
      "--figures <kinds>",
      `draw charts into figures/ of the run folder as .svg: ${chartNames.join(", ")}`,
      chartsNamed,
    )
    .option("--wide", "every column, and the notes of every arm")
    .option("--columns <keys>", "these columns, e.g. gain,f1,cost (keys as in CSV)", (keys: string) => keys.split(","))
    .option("--per-user", "groups of users instead: quartiles of history size, cold start, worst decile")
    .option("--by <tag>", "the first metric by the values of a tag of the questions instead, e.g. question_type")
    .option(
      "--reference <method>",
      `the method that gains are counted over (default: ${referenceMethod}; in an ablation the full method)`,
    )
    .action(async (runs: readonly string[], { format, html, ...flags }: Flags) => {
      if (html === true && format !== "text" && format !== "html")
        throw new UsageError(`--html writes the page, --format ${format} a table: ask for one at a time`);
      const page = html === true ? { form: "html" as const, out: flags.out ?? pageFile(runs) } : {};
      const settings = { ...flags, runs, form: format, ...page };
      const { text, file, figures } = await report(settings, io);
      const isAlone =
        settings.form === "text" && file === undefined && flags.perUser !== true && flags.by === undefined;
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
