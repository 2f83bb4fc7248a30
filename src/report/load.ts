import { basename } from "node:path";
import { UsageError } from "../errors.js";
import { pricesAt } from "../models/prices.js";
import { ofArm } from "../results/arms.js";
import { type Material, type Summary, summarize } from "../results/summary.js";
import { timingsOf } from "../run/calls.js";
import type { Catalogue } from "../run/catalogue.js";
import { type Manifest, readRun } from "../run/manifest.js";
import { rowsOf, runFiles, unitsOf } from "../run/rows.js";
import type { Row } from "../types/index.js";
import { tasksOfRun } from "./run-tasks.js";
import { controlRemarks } from "./tables/remarks.js";
import { floorsOf, highestFloor, type TaskFacts } from "./tables/results.js";

/** A run, or several joined, finished or not, with the rows summed up: what tables, charts and the page are made from. */
export interface LoadedResults {
  readonly manifest: Manifest;
  readonly summaries: readonly Summary[];
  /** The last row of every question. */
  readonly rows: readonly Row[];
  readonly tasks: KnownTasks;
  /** What tables say of the tasks. */
  readonly facts: readonly TaskFacts[];
}

/** Where names of tasks become tasks: no code is loaded because a manifest names it. */
export type KnownTasks = Catalogue["tasks"];

/** Sums up a run folder, by the metrics of its tasks and those that it adds. Throws UsageError where there is no run. */
export function loadResults(folder: string, catalogue: Catalogue, shown = basename(folder)): LoadedResults {
  const manifest = readRun(folder);
  if (manifest === undefined) throw new UsageError(`${shown}: no run here (no ${runFiles.log})`);
  const tasks = tasksOfRun(manifest, catalogue, shown);
  const rows = rowsOf(folder);
  const summaries = summariesOf(manifest, { cells: manifest.plan.cells, rows, ...measuredIn(folder) }, tasks);
  const facts = factsOf({ manifest, rows, tasks });
  return { manifest, summaries: unfinished(manifest, summaries), rows, tasks, facts };
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
