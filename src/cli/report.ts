import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { UsageError } from "../errors.js";
import { priceOf } from "../models/prices.js";
import { renderCsv } from "../report/csv.js";
import { renderLatex } from "../report/latex.js";
import { renderResults, renderSpeed } from "../report/results.js";
import { type Summary, summarize } from "../report/summary.js";
import { renderSweep, sweepArms } from "../report/sweep.js";
import { type Manifest, readManifest } from "../run/manifest.js";
import { latestRows, latestUnits, readTimings, runFiles } from "../run/run-rows.js";
import { tasks } from "../tasks/index.js";
import type { Row } from "../types.js";
import type { Io } from "./io.js";
import { refuseAbsent } from "./refuse-absent.js";

export interface LoadedResults {
  readonly manifest: Manifest;
  readonly summaries: readonly Summary[];
  /** The last row of every question. */
  readonly rows: readonly Row[];
  /** Pictures, as paths from the run folder. */
  readonly figures: readonly string[];
}

interface Flags {
  readonly format: (typeof forms)[number];
  readonly html?: boolean;
  readonly out?: string;
  readonly figures?: boolean;
  readonly baseline: string;
  readonly perUser?: boolean;
  readonly over: string;
  readonly intervals?: boolean;
}

/** `lamp-eval report <run>`: the tables of a run folder, finished or not. Sends nothing, writes only what it is asked to. */
export function reportCommand(io: Io): Command {
  return new Command("report")
    .description("print the tables of a finished or interrupted run again, or write them as one HTML page")
    .argument("<run>", "run folder, e.g. results/lamp2m-rag-1a2b3c4d")
    .addOption(new Option("--format <form>", "text, markdown, latex, csv, json or html").choices(forms).default("text"))
    .option("--html", `write the page with every table, chart and transcript as ${pageFile} into the run folder`)
    .option("--out <file>", "write to this file instead")
    .option("--figures", "write every chart into figures/ of the run folder: .vl.json, .svg and, where resvg is, .png")
    .option("--baseline <method>", "the method that LaTeX tables mark significant differences from", baselineMethod)
    .option(
      "--per-user",
      "groups of users instead: quartiles of history size, cold start, worst decile, with the gain over a method",
    )
    .option("--over <method>", "the method that --per-user counts gains over, where the run has it", "prompt")
    .option("--intervals", "the 95 % interval of every metric instead")
    .action(async (run: string, { format, html, out, figures, baseline, perUser, over, intervals }: Flags) => {
      const folder = resolve(io.cwd, run);
      if (figures === true) await (await import("./figures.js")).drawFigures(folder, loadResults(folder), io);
      if (figures === true && html !== true && out === undefined && format === "text") return;
      const text =
        perUser === true || intervals === true
          ? (await import("./report-users.js")).renderUsers(folder, { format, perUser, over, intervals })
          : await renderAs(html === true ? "html" : format, folder, baseline);
      const file = out === undefined ? (html === true ? join(folder, pageFile) : undefined) : resolve(io.cwd, out);
      if (file === undefined) return io.out(text.trimEnd());
      writeReport(file, text);
      io.out(relative(io.cwd, file));
    });
}

/** Reads a run folder and sums it up. Throws UsageError where there is no run. */
export function loadResults(folder: string): LoadedResults {
  const manifest = readManifest(folder);
  if (manifest === undefined) throw new UsageError(`${folder}: no run here (no manifest.json)`);
  const startedMs = Date.parse(manifest.startedAt);
  const rows = latestRows(folder);
  const summaries = summarize({
    cells: manifest.plan.cells,
    task: (name) => tasks.get(name),
    rows,
    units: latestUnits(folder),
    timings: readTimings(folder),
    price: (model, usage) => priceOf(model, usage, startedMs),
  });
  return { manifest, summaries, rows, figures: figuresOf(folder) };
}

/** The result files of a run, by name, and what the terminal shows. Equal rows give equal files, byte for byte. */
export function renderFolder(
  { manifest, summaries, rows, figures }: LoadedResults,
  baseline = baselineMethod,
): {
  readonly terminal: string;
  readonly files: Readonly<Record<string, string>>;
} {
  const facts = manifest.tasks.map(({ floor, ...rest }) => ({ ...rest, ...(floor === undefined ? {} : { floor }) }));
  const results = { summaries, facts };
  const speed = renderSpeed(summaries);
  const partial =
    manifest.finishedAt === undefined ? "PARTIAL: the run has not ended; the same command finishes it\n\n" : "";
  const sweep =
    manifest.sweep === undefined
      ? undefined
      : {
          ...results,
          sweep: manifest.sweep,
          cells: manifest.plan.cells,
          rows,
          task: (name: string) => tasks.get(name),
        };
  const swept = (form: "text" | "markdown") => (sweep === undefined ? "" : `\n\n${renderSweep(sweep, form)}`);
  const text = `${partial}${renderResults(results, "text")}${swept("text")}`;
  const pictures = figures.map((path) => `\n\n![${path}](${path})`).join("");
  const untimed = summaries.map(({ secondsPerQuery: _, ...summary }) => summary);
  return {
    terminal: speed === undefined ? text : `${text}\n\n${speed}`,
    files: {
      [fileOf.markdown]: `${partial}${renderResults(results, "markdown").trimEnd()}${swept("markdown")}${pictures}\n`,
      [fileOf.latex]: renderLatex({
        ...results,
        cells: manifest.plan.cells,
        rows,
        task: (name) => tasks.get(name),
        baseline,
        complete: partial === "",
      }),
      [fileOf.csv]: renderCsv(summaries, manifest.finishedAt !== undefined),
      [fileOf.json]: `${JSON.stringify({ complete: partial === "", simulated: manifest.simulated, tasks: facts, ...(sweep === undefined ? {} : { sweep: { ...sweep.sweep, arms: sweepArms(sweep) } }), results: untimed }, undefined, 2)}\n`,
    },
  };
}

/** The page that `--html` writes into a run folder. */
export const pageFile = "report.html";

// --- internal ---

async function renderAs(format: (typeof forms)[number], folder: string, baseline: string): Promise<string> {
  const results = loadResults(folder);
  if (format === "latex") refuseAbsent(folder, "--baseline", baseline, methodsOf(results, baseline));
  if (format === "html") return (await import("./html-report.js")).htmlReport(folder, results);
  const { terminal, files } = renderFolder(results, baseline);
  return format === "text" ? `${terminal}\n` : files[fileOf[format]]!; // one file a form
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

function figuresOf(folder: string): string[] {
  const path = join(folder, runFiles.figures);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith(".svg"))
    .sort()
    .map((name) => `${runFiles.figures}/${name}`);
}

/** What LaTeX tables are tested against where nothing else is asked for; a run without it has no marks. */
const baselineMethod = "prompt";

const methodsOf = ({ manifest }: LoadedResults, baseline: string): string[] => [
  ...manifest.plan.cells.map(({ method }) => method),
  ...(baseline === baselineMethod ? [baselineMethod] : []),
];

const forms = ["text", "markdown", "latex", "csv", "json", "html"] as const;
const fileOf = { markdown: "results.md", latex: "results.tex", csv: "results.csv", json: "results.json" } as const;
