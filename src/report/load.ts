import { basename, join } from "node:path";
import { UsageError } from "../errors.js";
import { judgeTask } from "../judges/verdicts.js";
import { pricesAt } from "../models/prices.js";
import { type Catalogue, extended, withMetrics, withMetricsAs } from "../plan/catalogue.js";
import { timingsOf } from "../record/calls.js";
import { type Manifest, readRun } from "../record/manifest.js";
import { fileHash, recordsOf, runFiles, unitsOf } from "../record/rows.js";
import { memoized } from "../results/answers.js";
import { controlOf, ofArm } from "../results/arms.js";
import type { ArmInput } from "../results/compare.js";
import { groupBy } from "../results/samples.js";
import { type Summary, type SummaryInput, summarize } from "../results/summary.js";
import type { ArmSpec, Row } from "../types/index.js";
import { baselineScores, bestBaseline, type TaskFacts } from "./tables/results.js";

/** A run, or several joined, finished or not, with the rows summed up. */
export interface LoadedResults extends ArmInput {
  readonly manifest: Manifest;
  readonly tasks: Catalogue["tasks"];
  readonly facts: readonly TaskFacts[];
}

/** Sums up a run folder. Throws UsageError where there is no run. */
export function loadResults(folder: string, catalogue: Catalogue, shown = basename(folder)): LoadedResults {
  const manifest = readRun(folder);
  if (manifest === undefined) throw new UsageError(`${shown}: no run here (no ${runFiles.log})`);
  if (manifest.rows !== undefined && fileHash(join(folder, runFiles.rows)) !== manifest.rows)
    throw new UsageError(`${shown}: ${EDITED}`);
  const tasks = tasksOfRun(manifest, catalogue, shown);
  const { rows, units } = recordsOf(folder);
  const { specs } = manifest.plan;
  const summaries = summarizeRun(manifest, { specs, rows, units, timings: timingsOf(folder) }, tasks);
  const facts = factsOf(manifest, rows, tasks);
  return { manifest, summaries, specs, rows, tasks, task: (name) => tasks.get(name), facts, sweep: manifest.sweep };
}

const EDITED = `${runFiles.rows} was changed after the run had finished (its checksum differs); the same lamp-eval run command makes it again`;

/**
 * Returns the tasks of a run as it scores them: with the metrics that it adds. No code is loaded because a manifest names it. Throws
 * UsageError on a task or a metric that is not known here.
 */
export function tasksOfRun(manifest: Manifest, handed: Catalogue, shown: string): Catalogue["tasks"] {
  const { plan, judged, settings, plugins = [] } = manifest;
  const isJudge = judged !== undefined && handed.tasks.find(judgeTask.name) === undefined;
  const catalogue = isJudge ? extended(handed, { tasks: [judgeTask] }, "a judge") : handed;
  const refuse = (thing: string): never => {
    const from = plugins.find(({ brings }) => brings.includes(thing));
    const origin = from === undefined ? "" : ` (plug-in ${from.name})`;
    throw new UsageError(`${shown}: ${thing}${origin} is not known here; give it again: --plugin FILE`);
  };
  for (const { task } of plan.specs) if (catalogue.tasks.find(task) === undefined) refuse(`task ${task}`);
  const metrics = settings.metrics.map((name) => catalogue.metrics.find(name) ?? refuse(`metric ${name}`));
  return withMetricsAs(withMetrics(catalogue, metrics), memoized).tasks;
}

/** Returns what a run folder holds besides rows that a summary counts. */
export const measuredIn = (folder: string) => ({ units: unitsOf(folder), timings: timingsOf(folder) });

/** Returns one summary an arm, at the prices of the run's beginning. In an unfinished run they count what is to come. */
export function summarizeRun(
  { startedAt, finishedAt, settings, plan, simulated, repeated }: Manifest,
  records: Pick<SummaryInput, "specs" | "peers" | "rows" | "units" | "timings">,
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
    const { task, dataset, repeats, model, counts } = summary;
    const { questions } = plan.data.find((data) => data.task === task && data.name === dataset)?.facts ?? {};
    const planned = typeof questions === "number" ? questions * repeats : counts.questions;
    const willBeSimulated = simulated && counts.questions === 0 && !real.has(model); // no row tells it yet
    return {
      ...{ ...summary, simulated: summary.simulated || willBeSimulated },
      ...(planned > counts.questions ? { planned } : {}),
    };
  });
}

function factsOf(manifest: Manifest, rows: readonly Row[], tasks: Catalogue["tasks"]): TaskFacts[] {
  const { replayed, plan, batch, settings } = manifest;
  return manifest.tasks.map(({ baselines: answers = [], unfit = [], warnings = [], remarks, ...rest }) => {
    const arms = plan.specs.filter(({ task, dataset }) => task === rest.task && dataset === rest.dataset);
    const { metrics } = tasks.get(rest.task);
    const baselines = baselineScores(answers, ofArm(rows, arms), metrics);
    const baseline = bestBaseline(baselines, metrics);
    return {
      ...{ ...rest, unfit, added: settings.metrics },
      warnings: [...warnings, ...controlWarnings(arms)],
      remarks: [...remarks, ...(batch === undefined ? [] : ["asked in batches, at their price"])],
      ...(baseline === undefined ? {} : { baseline, baselines }),
      ...(replayed === undefined ? {} : { aboutFailed: "record the run again to have them" }),
      ...(plan.imported === undefined ? {} : { aboutFailed: "the imported predictions lack them" }),
    };
  });
}

/** Warns of methods that ran only with a control history (history.control). */
const controlWarnings = (arms: readonly ArmSpec[]): string[] =>
  [...groupBy(arms, ({ method }) => method)].flatMap(([method, of]) => {
    const [control, ...others] = new Set(of.map(controlOf));
    if (others.length > 0 || control === "right") return [];
    return [`history of ${method}: ${control} (history.control), not the users' own`];
  });
