import { join, resolve } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import type { Chart } from "../../report/charts/index.js";
import type { Summary } from "../../report/summary.js";
import { runFiles } from "../../run/run-rows.js";
import { refuseAbsent } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { unknownAnswersIn } from "../run/models/tries.js";
import type { SavedFigures } from "./figures.js";
import { type LoadedResults, readResults, referenceMethod, renderFolder, withFigures } from "./results.js";

export type { MetricSummary } from "../../report/metric-summary.js";
export type { Summary } from "../../report/summary.js";
export { referenceMethod } from "./results.js";

export const reportForms = ["text", "markdown", "latex", "csv", "json", "html"] as const;
export type ReportForm = (typeof reportForms)[number];

export interface ReportSettings {
  /** Run folder, finished or not. */
  readonly run: string;
  /** Default: text. `html` is the page with every table, chart and transcript. */
  readonly form?: ReportForm;
  /** Writes the report into this file. */
  readonly out?: string;
  /** Writes every chart into the run folder. */
  readonly figures?: boolean;
  /** With `figures`: the charts without title and note, in a folder of their own beside the others. */
  readonly bare?: boolean;
  /** The method that LaTeX tables mark significant differences from. Default: `prompt`. */
  readonly baseline?: string;
  /** Tables that stand in place of the report's: groups of users, and the 95 % interval of every metric. */
  readonly perUser?: boolean;
  readonly intervals?: boolean;
  /** The method that gains of users are counted over. Default: `prompt`. */
  readonly over?: string;
}

export interface Report {
  /** One an arm. */
  readonly results: readonly Summary[];
  /** In the asked form. */
  readonly text: string;
  /** Where the text was written, absolute; undefined: nowhere. */
  readonly file: string | undefined;
  /** Undefined where no figures were asked for. */
  readonly figures: SavedFigures | undefined;
}

/** What has no other form. */
export const GROUPED_FORMS =
  "--per-user and --intervals have text, markdown and json (results.csv has every interval, the page all)";

/**
 * The tables of a run folder, or the page; tells of tries whose answer is unknown. Sends nothing, writes only what it is asked
 * to. Throws UsageError where there is no run, on a method that it has not got, and on a setting that nothing asked for would
 * use.
 */
export async function report(settings: ReportSettings, io: Pick<Io, "cwd" | "catalogue" | "tell">): Promise<Report> {
  const { run, form = "text", out, over = referenceMethod } = settings;
  refuseIgnored(settings, form);
  const folder = resolve(io.cwd, run);
  const loaded = readResults(folder, io);
  for (const line of unknownAnswersIn(folder)) io.tell(line);
  const methods = loaded.manifest.plan.cells.map(({ method }) => method);
  refuseAbsent(folder, "--baseline", settings.baseline, [...methods, referenceMethod]);
  refuseAbsent(folder, "--over", settings.over, [...methods, referenceMethod]);
  const isDrawn = settings.figures === true || form === "html";
  const charts = isDrawn ? await (await import("./chart-material.js")).chartsOfRun(folder, loaded, over) : [];
  const figures =
    settings.figures === true
      ? await (await import("./figures.js")).saveCharts(folder, charts, { bare: settings.bare })
      : undefined;
  const text = await textOf(folder, withFigures(folder, loaded), { ...settings, form, over, charts });
  const file = out === undefined ? undefined : resolve(io.cwd, out);
  if (file !== undefined) writeWhole(file, text, { shared: !file.startsWith(folder) });
  return { results: loaded.summaries, text, file, figures };
}

/** Where the page of a run belongs. */
export const pageFile = (run: string): string => join(run, runFiles.page);

const isGrouped = ({ perUser, intervals }: ReportSettings): boolean => perUser === true || intervals === true;

const isGroupedForm = (form: ReportForm): form is "text" | "markdown" | "json" =>
  form === "text" || form === "markdown" || form === "json";

function refuseIgnored(settings: ReportSettings, form: ReportForm): void {
  const { baseline, over, perUser, figures, bare } = settings;
  if (bare === true && figures !== true)
    throw new UsageError("--bare: works with --figures, which it leaves without title and note");
  if (isGrouped(settings) && !isGroupedForm(form)) throw new UsageError(`--format ${form}: ${GROUPED_FORMS}`);
  if (baseline !== undefined && form !== "latex")
    throw new UsageError(`--baseline ${baseline}: works with --format latex, whose tables mark differences from it`);
  if (over !== undefined && perUser !== true && figures !== true && form !== "html")
    throw new UsageError(`--over ${over}: works with --per-user, --html or --figures, which show gains of users`);
}

interface Asked extends ReportSettings {
  readonly form: ReportForm;
  readonly over: string;
  readonly charts: readonly Chart[];
}

/** What draws is loaded only where something is drawn. */
async function textOf(folder: string, results: LoadedResults, asked: Asked): Promise<string> {
  const { form, baseline } = asked;
  if (isGrouped(asked) && isGroupedForm(form))
    return (await import("./users.js")).renderUsers(folder, results, { ...asked, form });
  if (form === "html") return (await import("./page.js")).pageOf(folder, results, asked);
  const { terminal, files } = renderFolder(results, baseline);
  return form === "text" ? `${terminal}\n` : files[runFiles[form]];
}
