import { UsageError } from "../errors.js";
import { judgeTask } from "../judges/verdicts.js";
import { memoized } from "../results/pairs.js";
import { type Catalogue, extended, withMetrics, withMetricsAs } from "../run/catalogue.js";
import type { Manifest } from "../run/manifest.js";

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
