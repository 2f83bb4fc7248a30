import { join, resolve } from "node:path";
import { writeText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { loadResults } from "../report/load.js";
import type { Summary } from "../results/summary.js";
import { catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import { version } from "../run/io.js";
import { type Manifest, portablePlan } from "../run/manifest.js";
import { openRunFolder, refuseAbsent } from "../run/stored-run.js";
import { contentId } from "../text/content-id.js";
import type { Cell, Metric, Task } from "../types/index.js";

interface Publication {
  readonly run: string;
  readonly out: string;
  readonly task?: string;
  readonly method?: string;
  /** Who publishes the results. */
  readonly organization?: string;
}

/**
 * Writes a run in the form of Every Eval Ever (evaleval/every_eval_ever @9bce413, schema 0.3.0), in the folders of its datastore: a
 * file an arm, a result a metric. Throws UsageError on a run that has not ended or is SIMULATED, for which the form has no field.
 */
export function everyEvalEver({ run, out, task, method, organization }: Publication, io: Io): string[] {
  const { path } = openRunFolder(run, io.cwd);
  const results = loadResults(path, catalogueOf(io));
  const { manifest, summaries, tasks, facts } = results;
  if (manifest.simulated)
    throw new UsageError(`${run} is SIMULATED (embedded model), which this form cannot say; export a run with --model`);
  if (manifest.finishedAt === undefined)
    throw new UsageError(`${run} has not ended, which this form cannot say; finish it with the same command`);
  if (organization === undefined)
    throw new UsageError("--form every-eval-ever: --organization NAME is missing: who publishes the results");
  refuseAbsent(run, "--task", task, summaries.map((one) => one.task)); // biome-ignore format: one call a flag
  refuseAbsent(run, "--method", method, summaries.map((one) => one.method)); // biome-ignore format: one call a flag
  const { cells } = portablePlan(manifest.plan);
  const chosen = summaries.filter((one) => (task ?? one.task) === one.task && (method ?? one.method) === one.method);
  return chosen.flatMap((summary) => {
    const cell = cells.find(({ id }) => summary.cells.includes(id))!; // the same plan, paths shortened
    if (summary.counts.scored === 0) {
      io.tell(`${cell.task} ${cell.method}: left out, nothing of it is scored`);
      return [];
    }
    const floor = facts.find((one) => one.task === cell.task && one.dataset === cell.dataset)?.floor;
    const about = { cell, summary, floor, task: tasks.get(cell.task), manifest };
    const id = modelId(cell.model);
    const aggregate = {
      schema_version: "0.3.0",
      evaluation_id: `lamp-eval_${cell.task}/${id}/${cell.id}`,
      evaluation_timestamp: manifest.finishedAt,
      source_metadata: {
        source_name: "lamp-eval",
        source_type: "evaluation_run",
        source_organization_name: organization,
        evaluator_relationship: "third_party",
      },
      eval_library: { name: "lamp-eval", version: version() },
      model_info: {
        name: cell.model,
        id,
        inference_platform: cell.model.split("/", 1)[0],
        additional_details: { deployment_type: "unknown", model_availability: "unknown" },
      },
      evaluation_results: resultsOf(about),
      retrieved_timestamp: String(io.clock.now() / 1000),
    };
    const uuid = uuidOf(contentId([cell.id, manifest.startedAt])); // the same at every export of the run
    const file = join(resolve(io.cwd, out), `data/lamp-eval/${id}/${uuid}.json`);
    writeText(file, `${JSON.stringify(aggregate, undefined, 2)}\n`);
    return [file];
  });
}

/** `developer/model`: the model's id is its folder, as the datastore demands. */
function modelId(model: string): string {
  const [platform = "", ...rest] = model.split("/");
  const [developer = "", ...name] = rest.length > 1 ? rest : [platform, ...rest];
  return [developer, name.join("_")]
    .map((part) => part.replaceAll(/[^\w.-]/g, "-").replace(/\.+$/, "") || "unknown")
    .join("/");
}

/** A program's name without the folders that it was typed with: `exec:python3 /home/me/x.py`. */
export const withoutFolders = (method: string): string => method.replaceAll(/(?<=^|[\s:="'])\/\S*\//g, "");

/** A hash in the form of a UUID of version 4. */
const uuidOf = (hash: string): string =>
  `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;

/** Returns the largest value of a metric from 0; undefined where none is known. */
const mostOf = (metric: Metric | undefined): number | undefined =>
  metric?.most ?? (metric?.labels === undefined ? undefined : 1);

interface About {
  readonly cell: Cell;
  readonly summary: Summary;
  readonly floor: { readonly name: string; readonly values: Readonly<Record<string, number>> } | undefined;
  readonly task: Task;
  readonly manifest: Manifest;
}

function resultsOf({ cell, summary, floor, task, manifest }: About): object[] {
  const { files = [] } = manifest.plan.data.find((one) => one.task === cell.task && one.name === cell.dataset) ?? {};
  const { counts, users, usd, repeats } = summary;
  const { questions, answered, unparsed, failed } = counts;
  const { temperature, ...options } = cell.options;
  const method = withoutFolders(cell.method);
  return summary.metrics.flatMap(({ name, title, better, strict, interval }): object[] => {
    if (strict === undefined) return [];
    const most = mostOf(task.metrics.find((metric) => metric.name === name));
    const isBounded = most !== undefined && strict <= most; // ratings off the scale may lie beyond
    const hashes = Object.fromEntries(files.map((file) => [`sha256 of ${file.name}`, file.sha256]));
    return [
      {
        evaluation_result_id: `${cell.id}.${name}`,
        evaluation_name: `${cell.task}.${method}`,
        source_data: {
          dataset_name: `${task.title} (${cell.dataset})`,
          source_type: "other",
          additional_details: { source: task.source, ...hashes },
        },
        metric_config: {
          ...{ metric_id: name, metric_name: title, lower_is_better: better === "lower" },
          ...(isBounded ? { score_type: "continuous", min_score: 0, max_score: most } : {}),
        },
        score_details: {
          score: strict,
          uncertainty: {
            ...(interval === undefined ? {} : { confidence_interval: confidence(interval) }),
            num_samples: counts.scored,
          },
          details: texts({
            ...{ users, questions, answered, unparsed, failed, repeats, "US dollars": usd },
            ...(floor === undefined ? {} : { [floor.name]: floor.values[name] }),
          }),
        },
        generation_config: {
          generation_args: typeof temperature === "number" ? { temperature } : {},
          additional_details: texts({ method, seed: cell.seed, ...options }),
        },
      },
    ];
  });
}

const confidence = ({ low, high }: { readonly low: number; readonly high: number }) => ({
  ...{ lower: low, upper: high, confidence_level: 0.95, method: "jackknife over users" },
});

/** As the form has details: all values are texts. What is not known is left out. */
const texts = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
