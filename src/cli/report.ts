import { writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { type LoadedResults, loadResults, referenceMethod, renderFolder, withFigures } from "../app/report/results.js";
import { refuseAbsent } from "../app/run-folder.js";
import { UsageError } from "../errors.js";
import type { Chart } from "../report/charts/index.js";
import { runFiles } from "../run/run-rows.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly format: Form;
  readonly html?: boolean;
  readonly out?: string;
  readonly figures?: boolean;
  readonly baseline?: string;
  readonly perUser?: boolean;
  readonly over?: string;
  readonly intervals?: boolean;
}

/** `lamp-eval report <run>`: the tables of a run folder, finished or not. Sends nothing, writes only what it is asked to. */
export function reportCommand(io: Terminal): Command {
  return new Command("report")
    .argument("<run>", "run folder, e.g. results/lamp2m-rag-1a2b3c4d")
    .addOption(new Option("--format <form>", "text, markdown, latex, csv, json or html").choices(forms).default("text"))
    .option("--html", `write the page with every table, chart and transcript as ${runFiles.page} into the run folder`)
    .option("--out <file>", "write to this file instead")
    .option("--figures", "write every chart into figures/ of the run folder: .vl.json, .svg and, where resvg is, .png")
    .option(
      "--baseline <method>",
      `with --format latex: the method that tables mark significant differences from (default: ${referenceMethod})`,
    )
    .option(
      "--per-user",
      "groups of users instead: quartiles of history size, cold start, worst decile, with the gain over a method",
    )
    .option(
      "--over <method>",
      `the method that gains of users are counted over, in --per-user, --html and --figures (default: ${referenceMethod})`,
    )
    .option("--intervals", "the 95 % interval of every metric instead")
    .action((run: string, flags: Flags) => report(resolve(io.cwd, run), flags, io));
}

// --- internal ---

const forms = ["text", "markdown", "latex", "csv", "json", "html"] as const;
type Form = (typeof forms)[number];

async function report(folder: string, flags: Flags, io: Terminal): Promise<void> {
  const form = flags.html === true ? "html" : flags.format;
  refuseIgnored(flags, form);
  const loaded = loadResults(folder);
  const methods = loaded.manifest.plan.cells.map(({ method }) => method);
  refuseAbsent(folder, "--baseline", flags.baseline, [...methods, referenceMethod]);
  refuseAbsent(folder, "--over", flags.over, [...methods, referenceMethod]);
  const { figures, out, over = referenceMethod } = flags;
  const isDrawn = figures === true || form === "html";
  const charts = isDrawn ? await (await import("../app/report/draw-charts.js")).chartsOfRun(folder, loaded, over) : [];
  if (figures === true) {
    const alone = form === "text" && out === undefined && !isGrouped(flags);
    const { saveCharts } = await import("../app/report/figures.js");
    await saveCharts(folder, charts, io, (text) => (alone ? io.out(text) : io.err(text))); // stdout is the report's
    if (alone) return;
  }
  const results = withFigures(folder, loaded);
  const text =
    isGrouped(flags) && isGroupedForm(form)
      ? (await import("../app/report/users.js")).renderUsers(folder, results, { ...flags, form, over })
      : form === "html"
        ? await pageOf(folder, results, { charts, over })
        : tablesAs(form, results, flags.baseline);
  const file =
    out === undefined ? (flags.html === true ? join(folder, runFiles.page) : undefined) : resolve(io.cwd, out);
  if (file === undefined) return io.out(text.trimEnd());
  writeReport(file, text);
  io.out(relative(io.cwd, file));
}

async function pageOf(
  folder: string,
  results: LoadedResults,
  { charts, over }: { readonly charts: readonly Chart[]; readonly over: string },
): Promise<string> {
  const [{ drawn }, { htmlReport }] = await Promise.all([
    import("../app/report/draw-charts.js"),
    import("../app/report/page.js"),
  ]);
  return htmlReport(folder, results, { drawn: await drawn(charts), over });
}

const isGroupedForm = (form: Form): form is "text" | "markdown" | "json" =>
  form === "text" || form === "markdown" || form === "json";

/** The tables of users or intervals stand in place of the report's. */
const isGrouped = ({ perUser, intervals }: Flags): boolean => perUser === true || intervals === true;

/** Throws UsageError on a flag that nothing asked for would use. */
function refuseIgnored(flags: Flags, form: Form): void {
  const { format, html, baseline, over, perUser, figures } = flags;
  if (html === true && format !== "text" && format !== "html")
    throw new UsageError(`--html writes the page, --format ${format} a table: ask for one at a time`);
  if (isGrouped(flags) && !isGroupedForm(form))
    throw new UsageError(
      `--${html === true ? "html" : `format ${form}`}: --per-user and --intervals have text, markdown and json (results.csv has every interval, the page all)`,
    );
  if (baseline !== undefined && form !== "latex")
    throw new UsageError(`--baseline ${baseline}: works with --format latex, whose tables mark differences from it`);
  if (over !== undefined && perUser !== true && figures !== true && form !== "html")
    throw new UsageError(`--over ${over}: works with --per-user, --html or --figures, which show gains of users`);
}

function tablesAs(form: Exclude<Form, "html">, results: LoadedResults, baseline: string | undefined): string {
  const { terminal, files } = renderFolder(results, baseline);
  return form === "text" ? `${terminal}\n` : files[runFiles[form]];
}

/** Throws UsageError where the file cannot be written. */
function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--out ${file}: cannot be written (${code}); name a file in a folder that exists`);
  }
}
