import { join } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { type KnownTasks, measuredIn, summariesOf } from "../../report/load.js";
import { floorsOf, highestFloor } from "../../report/tables/results.js";
import { isScored, type ScoredRow } from "../../results/pairs.js";
import type { Summary } from "../../results/summary.js";
import type { Io } from "../../run/io.js";
import { type Manifest, portablePlan } from "../../run/manifest.js";
import type { StoredRun } from "../../run/stored-run.js";
import { version } from "../../run/version.js";
import { contentId } from "../../text/content-id.js";
import type { Cell, Metric, Task } from "../../types/index.js";

export const relationships = ["first_party", "third_party", "collaborative", "other"] as const;
export const deployments = ["self_deployed", "externally_managed", "unknown"] as const;
export const weightKinds = ["open_weights", "closed_weights", "unknown"] as const;

/** What the form asks for that no run knows. */
export interface Publication {
  readonly run: string;
  /** Who publishes the results. */
  readonly organization?: string | undefined;
  /** Of the publisher to the model. Default: third_party. */
  readonly relationship?: (typeof relationships)[number] | undefined;
  /** Who runs the model. Default: unknown. */
  readonly deployment?: (typeof deployments)[number] | undefined;
  /** Whether the model's weights can be had. Default: unknown. */
  readonly weights?: (typeof weightKinds)[number] | undefined;
}

interface Wanted {
  readonly cells: readonly Cell[];
  readonly tasks: KnownTasks;
  /** Folder of the files. */
  readonly to: string;
  readonly publication: Publication;
}

/**
 * Writes a run in the form of Every Eval Ever (evaleval/every_eval_ever @9bce413, schema 0.3.0), in the folders of its datastore: a
 * file a cell, a result a metric. Throws UsageError on a run that has not ended or is SIMULATED, for which the form has no field.
 */
export function everyEvalEver(folder: StoredRun, wanted: Wanted, io: Io): string[] {
  const { cells, tasks, to, publication } = wanted;
  const { path, manifest } = folder;
  refuse(publication, folder);
  const units = measuredIn(path).units;
  const plan = portablePlan(manifest.plan);
  const files: string[] = [];
  for (const { id } of cells) {
    const shown = plan.cells.find((one) => one.id === id)!; // the same plan, paths shortened
    const cell = { ...shown, method: withoutFolders(shown.method) };
    const rows = folder.rows.filter((row) => row.cell === id);
    const [summary] = summariesOf(manifest, { cells: [cell], rows, units, timings: [] }, tasks);
    if (summary === undefined || summary.counts.scored === 0) {
      io.tell(`${cell.task} ${cell.method}: left out, nothing of it is scored`);
      continue;
    }
    const task = tasks.get(cell.task);
    const place = placeOf(cell, manifest.startedAt);
    const about = { cell, task, summary, scored: rows.filter(isScored), plan, manifest, publication, ...place };
    const aggregate = { ...aggregateOf(about), retrieved_timestamp: String(io.clock.now() / 1000) };
    const file = join(to, `${about.stem}.json`);
    writeWhole(file, `${JSON.stringify(aggregate, undefined, 2)}\n`, { shared: true });
    files.push(file);
  }
  return files;
}

function refuse({ run, organization }: Publication, { manifest }: StoredRun): void {
  if (manifest.simulated)
    throw new UsageError(`${run} is SIMULATED (embedded model), which this form cannot say; export a run with --model`);
  if (manifest.finishedAt === undefined)
    throw new UsageError(`${run} has not ended, which this form cannot say; finish it with the same command`);
  if (organization === undefined)
    throw new UsageError("--form every-eval-ever: --organization NAME is missing: who publishes the results");
}

/** One cell and what its files say of it. */
interface About {
  readonly cell: Cell;
  readonly task: Task;
  readonly summary: Summary;
  readonly scored: readonly ScoredRow[];
  readonly plan: ReturnType<typeof portablePlan>;
  readonly manifest: Manifest;
  readonly publication: Publication;
  readonly evaluation: string;
  /** `developer/model`. */
  readonly model: string;
  readonly platform: string;
  /** Path of the files in the datastore, less its ending. */
  readonly stem: string;
}

/** Ids and place of a cell's files: the same at every export of the run. The model's id is its folder, as the datastore demands. */
function placeOf(cell: Cell, startedAt: string): Pick<About, "evaluation" | "model" | "platform" | "stem"> {
  const [platform = "", ...rest] = cell.model.split("/");
  const [developer = "", ...model] = rest.length > 1 ? rest : [platform, ...rest];
  const id = [developer, model.join("_")].map(inFileName).join("/");
  return {
    evaluation: `lamp-eval_${cell.task}/${id}/${cell.id}`,
    model: id,
    platform,
    stem: `data/lamp-eval/${id}/${uuidOf(contentId([cell.id, startedAt]))}`,
  };
}

/** A program's name without the folders that it was typed with: `exec:python3 /home/me/x.py`. */
export const withoutFolders = (method: string): string => method.replaceAll(/(?<=^|[\s:="'])\/\S*\//g, "");

const inFileName = (name: string): string => name.replaceAll(/[^\w.-]/g, "-").replace(/\.+$/, "") || "unknown";

/** A hash in the form of a UUID of version 4. */
const uuidOf = (hash: string): string =>
  `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;

/** Returns the largest value of a metric from 0; undefined where none is known. */
const mostOf = (metric: Metric | undefined): number | undefined =>
  metric?.most ?? (metric?.labels === undefined ? undefined : 1);

function aggregateOf(about: About): object {
  const { cell, evaluation, model, platform, publication, manifest } = about;
  const { relationship = "third_party", deployment = "unknown", weights = "unknown" } = publication;
  return {
    schema_version: "0.3.0",
    evaluation_id: evaluation,
    evaluation_timestamp: manifest.finishedAt,
    source_metadata: {
      source_name: "lamp-eval",
      source_type: "evaluation_run",
      source_organization_name: publication.organization,
      evaluator_relationship: relationship,
    },
    eval_library: { name: "lamp-eval", version: version() },
    model_info: {
      name: cell.model,
      id: model,
      inference_platform: platform,
      additional_details: { deployment_type: deployment, model_availability: weights },
    },
    evaluation_results: resultsOf(about),
  };
}

function resultsOf(about: About): object[] {
  const { cell, task, summary, scored, plan, manifest } = about;
  const ofCell = (one: { readonly task: string }) => one.task === cell.task;
  const { files = [] } = plan.data.find(ofCell) ?? {};
  const { baselines = [] } = manifest.tasks.find(ofCell) ?? {};
  const floor = highestFloor(floorsOf(baselines, scored, task.metrics), task.metrics);
  const { questions, answered, unparsed, failed } = summary.counts;
  const { temperature, ...options } = cell.options;
  return summary.metrics.flatMap(({ name, title, better, strict, interval }): object[] => {
    if (strict === undefined) return [];
    const most = mostOf(task.metrics.find((metric) => metric.name === name));
    const isBounded = most !== undefined && strict <= most; // ratings off the scale may lie beyond
    return [
      {
        evaluation_result_id: `${cell.id}.${name}`,
        evaluation_name: `${cell.task}.${cell.method}`,
        source_data: {
          dataset_name: `${task.title} (${cell.dataset})`,
          source_type: "other",
          additional_details: {
            source: task.source,
            ...Object.fromEntries(files.map((file) => [`sha256 of ${file.name}`, file.sha256])),
          },
        },
        metric_config: {
          metric_id: name,
          metric_name: title,
          lower_is_better: better === "lower",
          ...(!isBounded ? {} : { score_type: "continuous", min_score: 0, max_score: most }),
        },
        score_details: {
          score: strict,
          uncertainty: {
            ...(interval === undefined
              ? {}
              : {
                  confidence_interval: {
                    ...{ lower: interval.low, upper: interval.high },
                    ...{ confidence_level: 0.95, method: "jackknife over users" },
                  },
                }),
            num_samples: summary.counts.scored,
          },
          details: texts({
            users: summary.users,
            ...{ questions, answered, unparsed, failed },
            ...(floor === undefined ? {} : { [floor.name]: floor.values[name] }),
            "US dollars": summary.usd,
          }),
        },
        generation_config: {
          generation_args: typeof temperature === "number" ? { temperature } : {},
          additional_details: texts({ method: cell.method, seed: cell.seed, repeat: cell.repeat, ...options }),
        },
      },
    ];
  });
}

/** As the form has details: all values are texts. What is not known is left out. */
const texts = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
