import { basename } from "node:path";
import { UsageError } from "../errors.js";
import { judgeTask } from "../judges/verdicts.js";
import { pricesAt } from "../models/prices.js";
import { memoized } from "../results/answers.js";
import { controlOf, ofArm } from "../results/arms.js";
import type { ArmMaterial } from "../results/gains.js";
import { groupBy } from "../results/samples.js";
import { type Material, type Summary, summarize } from "../results/summary.js";
import { timingsOf } from "../run/calls.js";
import { type Catalogue, extended, withMetrics, withMetricsAs } from "../run/catalogue.js";
import { type Manifest, readRun } from "../run/manifest.js";
import { recordsOf, runFiles } from "../run/rows.js";
import type { Cell, Row } from "../types/index.js";
import { floorsOf, highestFloor, type TaskFacts } from "./tables/results.js";

/** A run, or several joined, finished or not, with the rows summed up. */
export interface LoadedResults extends ArmMaterial {
  readonly manifest: Manifest;
  readonly tasks: Catalogue["tasks"];
  readonly facts: readonly TaskFacts[];
}

/** Sums up a run folder. Throws UsageError where there is no run. */
export function loadResults(folder: string, catalogue: Catalogue, shown = basename(folder)): LoadedResults {
  const manifest = readRun(folder);
  if (manifest === undefined) throw new UsageError(`${shown}: no run here (no ${runFiles.log})`);
  const tasks = tasksOfRun(manifest, catalogue, shown);
  const { rows, units } = recordsOf(folder);
  const { cells } = manifest.plan;
  const summaries = summariesOf(manifest, { cells, rows, units, timings: timingsOf(folder) }, tasks);
  const facts = factsOf(manifest, rows, tasks);
  return { manifest, summaries, cells, rows, tasks, task: (name) => tasks.get(name), facts };
}

/**
 * Returns the tasks of a run as it scores them: with the metrics that it adds. No code is loaded because a manifest names it. Throws
 * UsageError on a task or a metric that is not known here.
 */
export function tasksOfRun(manifest: Manifest, handed: Catalogue, shown: string): Catalogue["tasks"] {
  const { plan, judged, settings, plugins = [] } = manifest;
  const isJudge = judged !== undefined && handed.tasks.find(judgeTask.name) === undefined;
  const catalogue = isJudge ? extended(handed, { tasks: [judgeTask] }, "a judge") : handed;
  const refuse = (kind: string, name: string): never => {
    const from = plugins.find(({ brings }) => brings.includes(`${kind} ${name}`));
    const origin = from === undefined ? "" : ` (plug-in ${from.name})`;
    throw new UsageError(`${shown}: ${kind} ${name}${origin} is not known here; give it again: --plugin FILE`);
  };
  for (const { task } of plan.cells) if (catalogue.tasks.find(task) === undefined) refuse("task", task);
  const metrics = settings.metrics.map((name) => catalogue.metrics.find(name) ?? refuse("metric", name));
  return withMetricsAs(withMetrics(catalogue, metrics), memoized).tasks;
}

/** Returns one summary an arm, at the prices of the run's beginning. Arms of a run that goes on know what is to come. */
export function summariesOf(
  { startedAt, finishedAt, settings, plan, simulated, repeated }: Manifest,
  records: Pick<Material, "cells" | "peers" | "rows" | "units" | "timings">,
  tasks: Catalogue["tasks"],
): Summary[] {
  const prices = pricesAt(Date.parse(startedAt), settings.prices, plan.endpoints);
  const summaries = summarize({
    ...records,
    ...(repeated === undefined ? {} : { repeated }),
    task: (name) => tasks.get(name),
    prices: { of: prices.ofPhases, staleSince: prices.staleSince },
  });
  if (finishedAt !== undefined) return summaries;
  const real = new Set(summaries.filter((one) => one.counts.questions > 0 && !one.simulated).map(({ model }) => model));
  return summaries.map((summary) => {
    const { task, dataset, repeats, counts, model } = summary;
    const { questions } = plan.data.find((data) => data.task === task && data.name === dataset)?.facts ?? {};
    const planned = typeof questions === "number" ? questions * repeats : counts.questions;
    const isToCome = counts.questions === 0 && !real.has(model);
    return {
      ...{ ...summary, simulated: summary.simulated || (simulated && isToCome) },
      ...(planned > counts.questions ? { planned } : {}),
    };
  });
}

function factsOf(manifest: Manifest, rows: readonly Row[], tasks: Catalogue["tasks"]): TaskFacts[] {
  const { tasks: stored, replayed, plan, batch, settings } = manifest;
  return stored.map(({ baselines = [], unfit = [], warnings = [], remarks, ...rest }) => {
    const cells = plan.cells.filter(({ task, dataset }) => task === rest.task && dataset === rest.dataset);
    const { metrics } = tasks.get(rest.task);
    const floors = floorsOf(baselines, ofArm(rows, cells), metrics);
    const floor = highestFloor(floors, metrics);
    return {
      ...{ ...rest, unfit, added: settings.metrics },
      warnings: [...warnings, ...controlWarnings(cells)],
      remarks: [...remarks, ...(batch === undefined ? [] : ["asked in batches, at their price"])],
      ...(floor === undefined ? {} : { floor, floors }),
      ...(replayed === undefined ? {} : { aboutFailed: "record the run again to have them" }),
      ...(plan.imported === undefined ? {} : { aboutFailed: "the imported predictions lack them" }),
    };
  });
}

/** Names the other history of methods that had no arm with their users' own: no row of theirs tells it. */
function controlWarnings(cells: readonly Cell[]): string[] {
  const methods = [...groupBy(cells, ({ method }) => method)].map(([method, of]) => ({
    method,
    controls: new Set(of.map((cell) => String(controlOf(cell)))),
  }));
  const spoilt = methods.flatMap(({ method, controls: [control = "", ...others] }) =>
    others.length === 0 && control !== "right" ? [{ method, control }] : [],
  );
  return [...groupBy(spoilt, ({ control }) => control)].map(([control, of]) => {
    const named = of.length === methods.length ? "" : ` of ${of.map(({ method }) => method).join(", ")}`;
    return `history${named}: ${control} (history.control), not the users' own`;
  });
}
