import { basename, join } from "node:path";
import { writeNew } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { pricesAt } from "../../models/prices.js";
import { type KnownPart, knownPart, tellLeftOut } from "../../report/known-part.js";
import { type SweepMaterial, sweepArms, sweepTables } from "../../report/sweep.js";
import { type ColumnChoice, type Table, withColumns } from "../../report/table.js";
import { renderCsv } from "../../report/tables/csv.js";
import { judgementTable } from "../../report/tables/judgements.js";
import { renderLatex } from "../../report/tables/latex.js";
import { renderMarkdown } from "../../report/tables/markdown.js";
import { paperTables } from "../../report/tables/paper.js";
import { controlRemarks } from "../../report/tables/remarks.js";
import { floorsOf, highestFloor, resultsTables, type TaskFacts } from "../../report/tables/results.js";
import { type AxisColumns, resultsRecords } from "../../report/tables/results-csv.js";
import { renderText } from "../../report/tables/text.js";
import { ofArm } from "../../results/arms.js";
import { type Gains, gainEstimate, gainsOver } from "../../results/gains.js";
import { type Material, type Summary, summarize } from "../../results/summary.js";
import { timingsOf } from "../../run/calls.js";
import { type Catalogue, catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { judgedRun } from "../../run/judgements.js";
import { type Manifest, readRun } from "../../run/manifest.js";
import { rowsOf, unitsOf } from "../../run/rows.js";
import { runFiles } from "../../run/run-files.js";
import type { Row } from "../../types/index.js";
import { readmeOf } from "./readme.js";

/** The method that gains and significance marks count from where nothing else is asked for; a run without it has none. */
export const referenceMethod = "prompt";

/** A run folder, finished or not, with its rows summed up: what tables, charts and the page are made from. */
export interface LoadedResults {
  readonly manifest: Manifest;
  readonly summaries: readonly Summary[];
  /** The last row of every question. */
  readonly rows: readonly Row[];
  readonly tasks: KnownTasks;
  /** The manifest as it stands; above is what of it the catalogue knows. */
  readonly whole: Manifest;
  /** What is left out and why, a line each. */
  readonly leftOut: readonly string[];
}

/** Where names of tasks become tasks: no code is loaded because a manifest names it. */
export type KnownTasks = Catalogue["tasks"];

/** The result files of a run, by name, and what the terminal shows. */
interface RenderedResults {
  readonly terminal: string;
  /** Each is made when it is read. */
  readonly files: Readonly<Record<ResultFile, string>>;
}

/**
 * Reads a run folder and sums it up, by the metrics of its tasks and those that it adds and the catalogue has. Throws UsageError
 * where there is no run.
 */
export function loadResults(folder: string, catalogue: Catalogue): LoadedResults {
  const whole = readRun(folder);
  if (whole === undefined) throw new UsageError(`${folder}: no run here (no ${runFiles.log})`);
  const part = knownPart(whole, catalogue, basename(folder));
  const rows = rowsOf(folder, ({ cell }) => part.has(cell));
  return resultsOf(part, { rows, ...measuredIn(folder) }, { whole });
}

/** What is known of a run (`part`), its rows summed up. */
function resultsOf(
  { manifest, tasks, leftOut }: KnownPart,
  records: Pick<Material, "rows" | "units" | "timings">,
  rest: Pick<LoadedResults, "whole">,
): LoadedResults {
  const summaries = summariesOf(manifest, { cells: manifest.plan.cells, ...records }, tasks);
  return { manifest, summaries: unfinished(manifest, summaries), rows: records.rows, tasks, leftOut, ...rest };
}

/** The same for whoever shows them: tells what is left out. Throws UsageError where that is everything. */
export function readResults(folder: string, io: Pick<Io, "catalogue" | "tell">): LoadedResults {
  const results = loadResults(folder, catalogueOf(io));
  tellLeftOut(results, io);
  return results;
}

/** What a run folder holds besides rows that a summary counts. */
export const measuredIn = (folder: string) => ({
  units: unitsOf(folder),
  timings: { [Symbol.iterator]: () => timingsOf(folder)[Symbol.iterator]() },
});

/** One summary an arm; calls cost what they did when the run began. */
export function summariesOf(
  {
    startedAt,
    settings,
    finishedAt,
    plan,
    repeated,
  }: Pick<Manifest, "startedAt" | "settings" | "finishedAt" | "plan" | "repeated">,
  records: Pick<Material, "cells" | "rows" | "units" | "timings">,
  tasks: KnownTasks,
): Summary[] {
  const prices = pricesAt(Date.parse(startedAt), settings.prices, plan.endpoints);
  return summarize({
    ...records,
    ...(repeated === undefined ? {} : { repeated }),
    timed: finishedAt !== undefined,
    task: (name) => tasks.get(name),
    prices: { of: prices.ofPhases, staleSince: prices.staleSince },
  });
}

/** What tables say of the tasks of a run. */
export const factsOf = ({
  manifest: {
    tasks: stored,
    replayed,
    plan,
    batch,
    settings: { metrics: added },
  },
  rows,
  tasks,
}: Pick<LoadedResults, "manifest" | "rows" | "tasks">): TaskFacts[] =>
  stored.map(({ baselines = [], unfit, warnings = [], remarks, ...rest }) => {
    const cells = plan.cells.filter(({ task, dataset }) => task === rest.task && dataset === rest.dataset);
    const { metrics } = tasks.get(rest.task);
    const floors = floorsOf(baselines, ofArm(rows, cells), metrics);
    const floor = highestFloor(floors, metrics);
    return {
      ...rest,
      ...(unfit === undefined ? {} : { unfit }),
      warnings: [...warnings, ...controlRemarks(cells)],
      ...(added.length === 0 ? {} : { added }),
      remarks: [...remarks, ...(batch === undefined ? [] : ["asked in batches, at their price"])],
      ...(floor === undefined ? {} : { floor, floors }),
      ...(replayed === undefined ? {} : { aboutFailed: "record the run again to have them" }),
      ...(plan.imported === undefined ? {} : { aboutFailed: "the imported predictions lack them" }),
    };
  });

/**
 * The tables of a run. Equal rows give equal files, byte for byte. Gains are over the method `over`; unnamed, that is `prompt`, and
 * in LaTeX, which marks differences from it, the full method of an ablation.
 */
export function renderFolder(
  loaded: LoadedResults,
  { over, ...choice }: ColumnChoice & { readonly over?: string | undefined } = {},
): RenderedResults {
  const { manifest, summaries, rows, tasks } = loaded;
  const judged = judgedTable(loaded);
  const facts = factsOf({ manifest, rows, tasks });
  const complete = manifest.finishedAt !== undefined;
  const cells = manifest.plan.cells;
  const material = { summaries, facts, cells, rows, task: (name: string) => tasks.get(name) };
  const gains = gainsOver(over ?? referenceMethod, material);
  const sweep = manifest.sweep === undefined ? undefined : { ...material, sweep: manifest.sweep };
  const swept = (of: readonly Summary[]): Table[] =>
    sweep === undefined ? [] : sweepTables({ ...sweep, summaries: of });
  const tablesOf = (detail: boolean, of: readonly Summary[]): Table[] =>
    resultsTables({ summaries: of, facts, gains }, { detail }).map((table, at) =>
      complete || at > 0 ? table : { ...table, warnings: [PARTIAL, ...(table.warnings ?? [])] },
    );
  return {
    get terminal() {
      if (judged !== undefined) return renderText(judged);
      const isDetailed = choice.wide === true;
      const made = [...tablesOf(isDetailed, summaries), ...swept(summaries)];
      const tables = withColumns(made, choice);
      return renderText(...tables);
    },
    files: {
      get [runFiles.markdown]() {
        if (judged !== undefined) return `${renderMarkdown(judged)}\n`;
        const untimed = summaries.map(withoutTimes);
        const made = [...tablesOf(true, untimed), ...swept(untimed)];
        const tables = withColumns(made, { wide: true });
        return `${renderMarkdown(...tables)}\n`;
      },
      get [runFiles.latex]() {
        if (judged !== undefined) return renderLatex([judged]);
        const full = over === undefined ? fullMethod(manifest) : undefined;
        const tested = full === undefined ? gains : gainsOver(full, material);
        const tables = paperTables({ summaries, facts, gains: tested, complete });
        return renderLatex(tables);
      },
      get [runFiles.csv]() {
        const axes = sweep === undefined ? undefined : axisColumns(sweep);
        return renderCsv(resultsRecords(summaries, complete, { gains, ...(axes === undefined ? {} : { axes }) }));
      },
      get [runFiles.json]() {
        const json = {
          complete,
          simulated: manifest.simulated,
          tasks: facts,
          ...(sweep === undefined ? {} : { sweep: { ...sweep.sweep, arms: sweepArms(sweep) } }),
          results: summaries.map((summary) => ({ ...withoutTimes(summary), ...gainData(gains, summary) })),
        };
        return `${JSON.stringify(json, undefined, 2)}\n`;
      },
    },
  };
}

const PARTIAL = "PARTIAL: the run has not ended; the same command finishes it";

/** The table of a judge's run, over the arms that it judged; undefined for any other run. */
function judgedTable({ manifest, summaries, rows }: LoadedResults): Table | undefined {
  const { judged, finishedAt } = manifest;
  if (judged === undefined) return undefined;
  const table = judgementTable(judgedRun({ ...manifest, judged }, rows), judged.cells, summaries[0]?.usd);
  return finishedAt === undefined ? { ...table, warnings: [PARTIAL, ...(table.warnings ?? [])] } : table;
}

/** Times are never the same twice, and files of equal runs are. */
const withoutTimes = ({ untimed: _, ...summary }: Summary): Summary => ({ ...summary, secondsPerQuery: undefined });

/** The gain by the first metric over the method that gains are counted from. */
function gainData(gains: Gains, summary: Summary) {
  const tested = gains.of(summary);
  const gain = gainEstimate(tested);
  const primary = tested?.metrics[0];
  return gain === undefined
    ? {}
    : { gain: { over: gains.over, value: gain.value, ...gain.interval, p: primary?.p, pHolm: primary?.holm } };
}

/** The method that an ablation takes parts from. */
function fullMethod({ sweep }: Manifest): string | undefined {
  const base = sweep?.kind === "ablation" ? sweep.axes[0]?.base : undefined;
  return typeof base === "string" ? base : undefined;
}

function axisColumns(sweep: SweepMaterial): AxisColumns {
  const points = new Map(sweepArms(sweep).map(({ axes }, index) => [sweep.summaries[index], axes])); // in their order
  return { knobs: sweep.sweep.axes.map(({ knob }) => knob), of: (summary) => points.get(summary) ?? {} };
}

/** Writes the result files of a run folder, from its rows as they are now. */
export function writeResults(folder: string, catalogue: Catalogue): LoadedResults & RenderedResults {
  const results = loadResults(folder, catalogue);
  const { terminal, files } = renderFolder(results);
  const made = { ...files };
  for (const [name, text] of Object.entries(made)) writeNew(join(folder, name), text);
  writeNew(join(folder, runFiles.readme), readmeOf(folder, results.manifest));
  return { ...results, terminal, files: made };
}

/** Of a run that has not ended: what its arms still have to answer, and the mark of arms that have not begun. */
function unfinished({ finishedAt, simulated, plan }: Manifest, summaries: readonly Summary[]): readonly Summary[] {
  if (finishedAt !== undefined) return summaries;
  const real = new Set(summaries.filter((one) => one.counts.questions > 0 && !one.simulated).map(({ model }) => model));
  return summaries.map((summary) => {
    const { task, dataset, repeats, counts, model } = summary;
    const questions = plan.data.find((data) => data.task === task && data.name === dataset)?.facts.questions;
    const planned = typeof questions === "number" ? questions * repeats : counts.questions;
    return {
      ...summary,
      ...(planned > counts.questions ? { planned } : {}),
      simulated: summary.simulated || (simulated && counts.questions === 0 && !real.has(model)),
    };
  });
}

type ResultFile = (typeof runFiles)["markdown" | "latex" | "csv" | "json"];
