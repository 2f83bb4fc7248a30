import { join } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { isScored } from "../../report/pairs.js";
import { floorsOf, highestFloor } from "../../report/tables/results.js";
import { portablePlan } from "../../run/manifest.js";
import { sha256 } from "../../text/content-id.js";
import type { Cell } from "../../types/index.js";
import type { StoredRun } from "../common/run-folder.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { type KnownTasks, measuredIn, summariesOf } from "../report/results.js";
import { type About, evaluationName, mostOf, type Publication, placeOf, resultId } from "./exported-cell.js";
import { questionTexts, samplesOf } from "./samples.js";

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
export async function everyEvalEver(folder: StoredRun, wanted: Wanted, io: Io): Promise<string[]> {
  const { cells, tasks, to, publication } = wanted;
  const { path, manifest } = folder;
  refuse(publication, folder);
  const texts = publication.samples === true ? await questionTexts(folder, cells, publication, io) : undefined;
  const units = measuredIn(path).units;
  const plan = portablePlan(manifest.plan);
  const files: string[] = [];
  for (const cell of cells) {
    const rows = folder.rows.filter((row) => row.cell === cell.id);
    const [summary] = summariesOf(manifest, { cells: [cell], rows, units, timings: [] }, tasks);
    if (summary === undefined || summary.counts.scored === 0) {
      io.tell(`${cell.task} ${cell.method}: left out, nothing of it is scored`);
      continue;
    }
    const about: About = {
      cell: plan.cells.find(({ id }) => id === cell.id)!, // the same plan, paths shortened
      task: tasks.get(cell.task),
      summary,
      scored: rows.filter(isScored),
      folder,
      publication,
      ...placeOf(cell, manifest.startedAt),
    };
    const aggregate = { ...aggregateOf(about), retrieved_timestamp: String(io.clock.now() / 1000) };
    const lines = texts === undefined ? [] : samplesOf(about, texts);
    const samples = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const written = lines.length === 0 ? aggregate : { ...aggregate, ...detailOf(about, samples, lines.length) };
    const contents = { [`${about.stem}.json`]: `${JSON.stringify(written, undefined, 2)}\n` };
    if (lines.length > 0) contents[samplesFile(about)] = samples;
    for (const [name, text] of Object.entries(contents)) {
      files.push(join(to, name));
      writeWhole(join(to, name), text, { shared: true });
    }
  }
  return files;
}

function refuse({ run, organization, samples = false, licence }: Publication, { manifest }: StoredRun): void {
  if (manifest.simulated)
    throw new UsageError(`${run} is SIMULATED (embedded model), which this form cannot say; export a run with --model`);
  if (manifest.finishedAt === undefined)
    throw new UsageError(`${run} has not ended, which this form cannot say; finish it with the same command`);
  if (organization === undefined)
    throw new UsageError("--form every-eval-ever: --organization NAME is missing: who publishes the results");
  if (samples !== (licence !== undefined))
    throw new UsageError("--samples needs --licence ID (and the other way round): samples hold questions and golds");
}

/** The samples file beside an aggregate. */
const samplesFile = ({ stem }: About): string => `${stem}_samples.jsonl`;

/** How the aggregate names its samples. */
const detailOf = (about: About, text: string, rows: number): object => ({
  detailed_evaluation_results: {
    ...{ format: "jsonl", file_path: samplesFile(about), hash_algorithm: "sha256", checksum: sha256(text) },
    total_rows: rows,
  },
});

function aggregateOf(about: About): Record<string, unknown> {
  const { cell, evaluation, model, publication, folder } = about;
  const { relationship = "third_party", deployment = "unknown", weights = "unknown" } = publication;
  return {
    schema_version: SCHEMA,
    evaluation_id: evaluation,
    evaluation_timestamp: folder.manifest.finishedAt,
    source_metadata: {
      source_name: "lamp-eval",
      source_type: "evaluation_run",
      source_organization_name: publication.organization,
      evaluator_relationship: relationship,
    },
    eval_library: { name: "lamp-eval", version: version() },
    model_info: {
      name: cell.model,
      id: model.id,
      inference_platform: model.platform,
      additional_details: { deployment_type: deployment, model_availability: weights },
    },
    evaluation_results: resultsOf(about),
  };
}

function resultsOf({ cell, task, summary, scored, folder, publication }: About): object[] {
  const { plan, tasks: stored } = folder.manifest;
  const data = plan.data.find(({ task: name }) => name === cell.task);
  const { baselines = [] } =
    stored.find(({ task: name, dataset }) => name === cell.task && dataset === cell.dataset) ?? {};
  const floor = highestFloor(floorsOf(baselines, scored, task.metrics), task.metrics);
  const { questions, answered, unparsed, failed } = summary.counts;
  const { temperature, ...options } = cell.options;
  return summary.metrics.flatMap(({ name, title, better, strict, interval }): object[] => {
    if (strict === undefined) return [];
    const most = mostOf(task.metrics.find((metric) => metric.name === name));
    const isBounded = most !== undefined && strict <= most; // ratings off the scale may lie beyond
    return [
      {
        evaluation_result_id: resultId(cell, name),
        evaluation_name: evaluationName(cell),
        source_data: {
          dataset_name: `${task.title} (${cell.dataset})`,
          source_type: "other",
          additional_details: {
            source: task.source,
            ...texts(Object.fromEntries((data?.files ?? []).map((file) => [`sha256 of ${file.name}`, file.sha256]))),
            ...(publication.licence === undefined ? {} : { licence: publication.licence }),
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
            "majority label": floor?.values[name],
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

const SCHEMA = "0.3.0";
