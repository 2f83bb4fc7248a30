import { basename } from "node:path";
import { UsageError } from "../errors.js";
import { pricesAt } from "../models/prices.js";
import { ofArm } from "../results/arms.js";
import { type Material, type Summary, summarize } from "../results/summary.js";
import { timingsOf } from "../run/calls.js";
import { type Catalogue, catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import { type Manifest, readRun } from "../run/manifest.js";
import { rowsOf, unitsOf } from "../run/rows.js";
import { runFiles } from "../run/run-files.js";
import type { Row } from "../types/index.js";
import { type KnownPart, knownPart, tellLeftOut } from "./known-part.js";
import { controlRemarks } from "./tables/remarks.js";
import { floorsOf, highestFloor, type TaskFacts } from "./tables/results.js";

/** A run, or several joined, finished or not, with the rows summed up: what tables, charts and the page are made from. */
export interface LoadedResults {
  /** As far as the catalogue knows it. */
  readonly manifest: Manifest;
  readonly summaries: readonly Summary[];
  /** The last row of every question. */
  readonly rows: readonly Row[];
  readonly tasks: KnownTasks;
  /** What is left out and why, a line each. */
  readonly leftOut: readonly string[];
  /** What tables say of the tasks. */
  readonly facts: readonly TaskFacts[];
}

/** Where names of tasks become tasks: no code is loaded because a manifest names it. */
export type KnownTasks = Catalogue["tasks"];

/** Sums up a run folder, by the metrics of its tasks and those that it adds. Throws UsageError where there is no run. */
export function loadResults(folder: string, catalogue: Catalogue, shown = basename(folder)): LoadedResults {
  const whole = readRun(folder);
  if (whole === undefined) throw new UsageError(`${shown}: no run here (no ${runFiles.log})`);
  const part = knownPart(whole, catalogue, shown);
  return resultsOf(part, { rows: rowsOf(folder, ({ cell }) => part.has(cell)), ...measuredIn(folder) });
}

function resultsOf(
  { manifest, tasks, leftOut }: Pick<KnownPart, "manifest" | "tasks" | "leftOut">,
  records: Pick<Material, "rows" | "units" | "timings">,
): LoadedResults {
  const summaries = summariesOf(manifest, { cells: manifest.plan.cells, ...records }, tasks);
  const { rows } = records;
  const facts = factsOf({ manifest, rows, tasks });
  return { manifest, summaries: unfinished(manifest, summaries), rows, tasks, leftOut, facts };
}

/** The same for whoever shows them: tells what is left out. Throws UsageError where that is everything. */
export function readResults(folder: string, io: Pick<Io, "catalogue" | "tell">, shown?: string): LoadedResults {
  const results = loadResults(folder, catalogueOf(io), shown);
  tellLeftOut(results, io);
  return results;
}

/** What a run folder holds besides rows that a summary counts. */
export const measuredIn = (folder: string) => ({
  units: unitsOf(folder),
  timings: { [Symbol.iterator]: () => timingsOf(folder)[Symbol.iterator]() },
});

/** Returns one summary an arm; calls cost what they did when the run began. */
export function summariesOf(
  { startedAt, settings, plan, repeated }: Pick<Manifest, "startedAt" | "settings" | "plan" | "repeated">,
  records: Pick<Material, "cells" | "peers" | "rows" | "units" | "timings">,
  tasks: KnownTasks,
): Summary[] {
  const prices = pricesAt(Date.parse(startedAt), settings.prices, plan.endpoints);
  return summarize({
    ...records,
    ...(repeated === undefined ? {} : { repeated }),
    task: (name) => tasks.get(name),
    prices: { of: prices.ofPhases, staleSince: prices.staleSince },
  });
}

function factsOf({
  manifest: {
    tasks: stored,
    replayed,
    plan,
    batch,
    settings: { metrics: added },
  },
  rows,
  tasks,
}: Pick<LoadedResults, "manifest" | "rows" | "tasks">): TaskFacts[] {
  return stored.map(({ baselines = [], unfit, warnings = [], remarks, ...rest }) => {
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
}

/** Of a run that has not ended: what its arms still have to answer, and the mark of arms that have not begun. */
export function unfinished(
  { finishedAt, simulated, plan }: Manifest,
  summaries: readonly Summary[],
): readonly Summary[] {
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
