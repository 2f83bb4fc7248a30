import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import { UsageError } from "../errors.js";
import { priceOf } from "../models/prices.js";
import { renderCsv } from "../report/csv.js";
import { renderResults, renderSpeed } from "../report/results.js";
import { type Summary, summarize } from "../report/summary.js";
import { type Manifest, readManifest } from "../run/manifest.js";
import { latestRows, latestUnits, readTimings, runFiles } from "../run/run-rows.js";
import { tasks } from "../tasks/index.js";
import type { Io } from "./io.js";

export interface LoadedResults {
  readonly manifest: Manifest;
  readonly summaries: readonly Summary[];
  /** Pictures, as paths from the run folder. */
  readonly figures: readonly string[];
}

/** `lamp-eval report <run>`: the tables of a run folder, finished or not. Sends nothing, writes nothing. */
export function reportCommand(io: Io): Command {
  return new Command("report")
    .description("print the tables of a finished or interrupted run again")
    .argument("<run>", "run folder, e.g. results/lamp2m-rag-1a2b3c4d")
    .addOption(new Option("--format <form>", "text, markdown, csv or json").choices(forms).default("text"))
    .action((run: string, { format }: { format: (typeof forms)[number] }) => {
      const rendered = renderFolder(loadResults(resolve(io.cwd, run)));
      io.out(format === "text" ? rendered.terminal : rendered.files[fileOf[format]]!.trimEnd());
    });
}

/** Reads a run folder and sums it up. Throws UsageError where there is no run. */
export function loadResults(folder: string): LoadedResults {
  const manifest = readManifest(folder);
  if (manifest === undefined) throw new UsageError(`${folder}: no run here (no manifest.json)`);
  const startedMs = Date.parse(manifest.startedAt);
  const summaries = summarize({
    cells: manifest.plan.cells,
    task: (name) => tasks.get(name),
    rows: latestRows(folder),
    units: latestUnits(folder),
    timings: readTimings(folder),
    price: (model, usage) => priceOf(model, usage, startedMs),
  });
  return { manifest, summaries, figures: figuresOf(folder) };
}

/** The result files of a run, by name, and what the terminal shows. Equal rows give equal files, byte for byte. */
export function renderFolder({ manifest, summaries, figures }: LoadedResults): {
  readonly terminal: string;
  readonly files: Readonly<Record<string, string>>;
} {
  const facts = manifest.tasks.map(({ floor, ...rest }) => ({ ...rest, ...(floor === undefined ? {} : { floor }) }));
  const results = { summaries, facts };
  const speed = renderSpeed(summaries);
  const partial =
    manifest.finishedAt === undefined ? "PARTIAL: the run has not ended; the same command finishes it\n\n" : "";
  const text = `${partial}${renderResults(results, "text")}`;
  const pictures = figures.map((path) => `\n\n![${path}](${path})`).join("");
  const untimed = summaries.map(({ secondsPerQuery: _, ...summary }) => summary);
  return {
    terminal: speed === undefined ? text : `${text}\n\n${speed}`,
    files: {
      [fileOf.markdown]: `${partial}${renderResults(results, "markdown").trimEnd()}${pictures}\n`,
      [fileOf.csv]: renderCsv(summaries),
      [fileOf.json]: `${JSON.stringify({ complete: partial === "", simulated: manifest.simulated, tasks: facts, results: untimed }, undefined, 2)}\n`,
    },
  };
}

// --- internal ---

function figuresOf(folder: string): string[] {
  const path = join(folder, runFiles.figures);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .sort()
    .map((name) => `${runFiles.figures}/${name}`);
}

const forms = ["text", "markdown", "csv", "json"] as const;
const fileOf = { markdown: "results.md", csv: "results.csv", json: "results.json" } as const;
