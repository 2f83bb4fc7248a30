import { join, resolve } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { readLog } from "../../log/log.js";
import type { ChartName } from "../../report/charts/index.js";
import { perUserTables } from "../../report/per-user.js";
import { strataTables, tagsOf } from "../../report/strata.js";
import type { ColumnChoice, Table } from "../../report/table.js";
import { renderCsv } from "../../report/tables/csv.js";
import { renderLatex } from "../../report/tables/latex.js";
import { renderMarkdown } from "../../report/tables/markdown.js";
import { renderText } from "../../report/tables/text.js";
import type { Summary } from "../../results/summary.js";
import type { Io } from "../../run/io.js";
import { runFiles } from "../../run/run-files.js";
import { refuseAbsent } from "../../run/stored-run.js";
import { unknownAnswers } from "../../run/tally.js";
import { type LoadedResults, readResults, referenceMethod, renderFolder } from "./results.js";

export type { MetricSummary } from "../../results/metric-summary.js";
export type { Summary } from "../../results/summary.js";
export { referenceMethod } from "./results.js";

export const reportForms = ["text", "markdown", "latex", "csv", "json", "html"] as const;
export type ReportForm = (typeof reportForms)[number];

export interface ReportSettings extends ColumnChoice {
  /** Run folder, finished or not. */
  readonly run: string;
  /** Default: text. `html` is the page with every table, chart and transcript. */
  readonly form?: ReportForm;
  readonly out?: string;
  /** Kinds of charts to draw into the figures folder. */
  readonly figures?: readonly ChartName[];
  /** The method that gains are counted over, and that LaTeX marks differences from. Default: `prompt`; in the LaTeX of an ablation the full method. */
  readonly over?: string;
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

/**
 * The tables of a run folder, or the page; tells of tries whose answer is unknown. Sends nothing, writes only what it is asked
 * to. Throws UsageError where there is no run, on a method that it has not got, and on a setting that nothing asked for would
 * use.
 */
export async function report(settings: ReportSettings, io: Pick<Io, "cwd" | "catalogue" | "tell">): Promise<Report> {
  const { run, form = "text", out, over } = settings;
  refuseIgnored(settings, form);
  const folder = resolve(io.cwd, run);
  const loaded = readResults(folder, io);
  const log = readLog(join(folder, runFiles.log));
  log.close();
  for (const line of unknownAnswers(log.state.money)) io.tell(line);
  const methods = loaded.manifest.plan.cells.map(({ method }) => method);
  refuseAbsent(folder, "--over", over, [...methods, referenceMethod]);
  const figures =
    settings.figures === undefined
      ? undefined
      : await (await import("./charts.js")).saveCharts(folder, settings.figures, {
          loaded,
          over: over ?? referenceMethod,
        });
  const text = await textOf(folder, loaded, { ...settings, form });
  const file = out === undefined ? undefined : resolve(io.cwd, out);
  if (file !== undefined) writeWhole(file, text, { shared: !file.startsWith(folder) });
  return { results: loaded.summaries, text, file, figures };
}

/** Where the page of a run belongs. */
export const pageFile = (run: string): string => join(run, runFiles.page);

function refuseIgnored({ perUser, by, wide, columns }: ReportSettings, form: ReportForm): void {
  if ((wide === true || columns !== undefined) && (form !== "text" || perUser === true || by !== undefined))
    throw new UsageError(`--${wide === true ? "wide" : "columns"}: the text tables of results alone leave columns out`);
  if (by !== undefined && (perUser === true || form === "html" || form === "json"))
    throw new UsageError(
      `--by ${by}: is a table of its own, in text, markdown, latex or csv; leave the other flag out`,
    );
  if (perUser === true && form === "html") throw new UsageError("--per-user: the page has the groups of users anyway");
}

interface Asked extends ReportSettings {
  readonly form: ReportForm;
}

/** What draws is loaded only where something is drawn. */
async function textOf(folder: string, results: LoadedResults, asked: Asked): Promise<string> {
  const { form, over = referenceMethod } = asked;
  if (form === "html") return (await import("./page.js")).pageOf(folder, results, over);
  if (asked.perUser === true) {
    const users = (await import("./page.js")).usersOf(folder, results, over);
    return form === "json"
      ? `${JSON.stringify({ perUser: users }, undefined, 2)}\n`
      : `${rendered(perUserTables(users), form)}\n`;
  }
  const { by } = asked;
  if (by !== undefined && form !== "json") {
    refuseAbsent(folder, "--by", by, tagsOf(results.rows));
    const { summaries, rows, tasks } = results;
    return `${rendered(strataTables(by, { summaries, rows, task: (name) => tasks.get(name) }), form)}\n`;
  }
  const { terminal, files } = renderFolder(results, asked);
  return form === "text" ? `${terminal}\n` : files[runFiles[form]];
}

function rendered(tables: readonly Table[], form: "text" | "markdown" | "latex" | "csv"): string {
  const of = {
    text: renderText,
    markdown: renderMarkdown,
    csv: renderCsv,
    latex: (...all: readonly Table[]) => renderLatex(all),
  };
  return of[form](...tables).trimEnd();
}
