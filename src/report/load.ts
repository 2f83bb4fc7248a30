import { UsageError } from "../errors.js";
import { judgeTask } from "../judges/verdicts.js";
import { pricesAt } from "../models/prices.js";
import { withoutFolder } from "../net/secrets.js";
import { type Catalogue, extended, withJudged, withMetrics, withMetricsAs } from "../plan/catalogue.js";
import { partName, type Shard } from "../plan/types.js";
import { judgementsOf } from "../record/judgements.js";
import type { Manifest } from "../record/manifest.js";
import type { StoredRun } from "../record/stored-run.js";
import { furtherModels } from "../registry/further-models.js";
import { memoized } from "../results/answers.js";
import { controlOf, ofArm } from "../results/arms.js";
import type { ArmInput } from "../results/compare.js";
import { withVerdicts } from "../results/judge-scores.js";
import { groupBy } from "../results/samples.js";
import { type Summary, type SummaryInput, summarize } from "../results/summary.js";
import type { ArmSpec, Row } from "../types/index.js";
import { baselineScores, bestBaseline, type TaskFacts } from "./tables/results.js";

/** A run, or several joined, finished or not, with the rows summed up. */
export interface LoadedResults extends ArmInput {
  /** Undefined where several runs are joined. */
  readonly stored: StoredRun | undefined;
  readonly manifest: Manifest;
  readonly tasks: Catalogue["tasks"];
  readonly facts: readonly TaskFacts[];
}

/**
 * Sums up a run; `judges`: with what judges said of it since, which its own files, its pack and a gate leave out. Throws UsageError where
 * a task or a metric of it is not known here, and where its rows were changed.
 */
export function loadResults(stored: StoredRun, catalogue: Catalogue, { judges = false } = {}): LoadedResults {
  const { manifest } = stored;
  stored.refuseEdited();
  const { judged, rows } = withVerdicts(judges ? judgementsOf(stored) : [], stored.rows);
  const tasks = tasksOfRun(stored, withJudged(catalogue, judged));
  const { units } = stored;
  const { arms: specs } = manifest.identity;
  const summaries = summarizeRun(manifest, { specs, rows, units, timings: stored.timings() }, tasks);
  const facts = factsOf(manifest, rows, tasks).map(({ notes = [], ...fact }) => ({
    ...fact,
    notes: [...notes, ...judged.map(({ note }) => note)],
  }));
  const { sweep } = manifest;
  return { stored, manifest, summaries, specs, rows, tasks, task: (name) => tasks.get(name), facts, sweep };
}

/**
 * Returns the tasks of a run as it scores them: with the metrics that it adds. No code is loaded because a manifest names it. Throws
 * UsageError on a task or a metric that is not known here.
 */
export function tasksOfRun({ name: shown, manifest }: StoredRun, handed: Catalogue): Catalogue["tasks"] {
  const { identity, judged, plan, plugins = [] } = manifest;
  const isJudge = judged !== undefined && handed.tasks.find(judgeTask.name) === undefined;
  const catalogue = isJudge ? extended(handed, { tasks: [judgeTask] }, "a judge") : handed;
  const refuse = (thing: string): never => {
    const from = plugins.find(({ brings }) => brings.includes(thing));
    const origin = from === undefined ? "" : ` (plug-in ${from.name})`;
    throw new UsageError(`${shown}: ${thing}${origin} is not known here; give it again: --plugin FILE`);
  };
  for (const { task } of identity.arms) if (catalogue.tasks.find(task) === undefined) refuse(`task ${task}`);
  const metrics = plan.metrics.map((name) => catalogue.metrics.find(name) ?? refuse(`metric ${name}`));
  return withMetricsAs(withMetrics(catalogue, metrics), memoized).tasks;
}

/** Returns one summary an arm, at the prices of the run's beginning. In an unfinished run they count what is to come. */
export function summarizeRun(
  { startedAt, finishedAt, plan, identity, simulated, repeated }: Manifest,
  records: Pick<SummaryInput, "specs" | "peers" | "rows" | "units" | "timings">,
  tasks: Catalogue["tasks"],
): Summary[] {
  const prices = pricesAt(Date.parse(startedAt), plan.prices, identity.endpoints);
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
    const { questions } = identity.data.find((data) => data.task === task && data.name === dataset)?.facts ?? {};
    const planned = typeof questions === "number" ? questions * repeats : counts.questions;
    const willBeSimulated = simulated && counts.questions === 0 && !real.has(model); // no row tells it yet
    return {
      ...{ ...summary, simulated: summary.simulated || willBeSimulated },
      ...(planned > counts.questions ? { planned } : {}),
    };
  });
}

function factsOf(manifest: Manifest, rows: readonly Row[], tasks: Catalogue["tasks"]): TaskFacts[] {
  const { replayed, plan, identity, batch, part } = manifest;
  const warnings = part === undefined ? [] : [shardWarning(part)];
  return manifest.tasks.map(({ baselines: answers = [], unfit = [], remarks, ...rest }) => {
    const arms = identity.arms.filter(({ task, dataset }) => task === rest.task && dataset === rest.dataset);
    const { metrics } = tasks.get(rest.task);
    const baselines = baselineScores(answers, ofArm(rows, arms), metrics);
    const baseline = bestBaseline(baselines, metrics);
    return {
      ...{ ...rest, unfit, added: plan.metrics },
      warnings: [...warnings, ...controlWarnings(arms)],
      notes: serverNotes(manifest),
      remarks: [...remarks, ...(batch === undefined ? [] : ["asked in batches, at their price"])],
      ...(baseline === undefined ? {} : { baseline, baselines }),
      ...(replayed === undefined ? {} : { aboutFailed: "record the run again to have them" }),
      ...(identity.imported === undefined ? {} : { aboutFailed: "the imported predictions lack them" }),
    };
  });
}

/** Says which models answered, where others did than were asked, and that a gateway may have repeated replies. */
function serverNotes({ identity, answeredBy = [], cachedDraws, simulated }: Manifest): string[] {
  const asked = new Set(identity.arms.flatMap((arm) => [arm.model, ...Object.values(furtherModels(arm))]));
  const names = new Set([...asked].map((id) => undatedName(id.slice(id.indexOf("/") + 1))));
  const isAsked = answeredBy.length <= asked.size && answeredBy.every((name) => names.has(undatedName(name)));
  return [
    ...(simulated || isAsked ? [] : [`answered by ${answeredBy.map(withoutFolder).join(", ")}`]),
    ...(cachedDraws === true ? ["the gateway may cache: repeats are not independent"] : []),
  ];
}

/** Returns a model's name without the date of its version, which providers add. */
const undatedName = (name: string): string => name.toLowerCase().replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2})$/, "");

const shardWarning = (shard: Shard): string =>
  `PART OF A RUN: ${partName(shard)}; run it without --shard and with --reuse SHARD for each to join them`;

/** Warns of methods that ran only with a control history (history.control). */
const controlWarnings = (arms: readonly ArmSpec[]): string[] =>
  [...groupBy(arms, ({ method }) => method)].flatMap(([method, of]) => {
    const [control, ...others] = new Set(of.map(controlOf));
    if (others.length > 0 || control === "right") return [];
    return [`history of ${method}: ${control} (history.control), not the users' own`];
  });
