import { join } from "node:path";
import { writeText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { mapTexts, withoutFolder } from "../net/secrets.js";
import type { Io } from "../plan/io.js";
import { version } from "../plan/io.js";
import type { LoadedResults } from "../report/load.js";
import { contentId } from "../text/content-id.js";

/**
 * Writes a run in the form of Every Eval Ever (evaleval/every_eval_ever @9bce413, schema 0.3.0), in the folders of its datastore:
 * a file an arm, a result a metric. Throws UsageError on a run that has not ended or is SIMULATED: the form has no field for it.
 */
export function everyEvalEver(
  { stored, manifest, summaries, tasks }: LoadedResults,
  to: string,
  organization: string | undefined,
  { clock }: Pick<Io, "clock">,
): string[] {
  const { finishedAt, startedAt, simulated, identity } = manifest;
  if (simulated || finishedAt === undefined)
    throw new UsageError(
      `${stored?.name} ${simulated ? "is SIMULATED (embedded model)" : "has not ended"}, which this form cannot say`,
    );
  if (organization === undefined) throw new UsageError("--organization NAME is missing: who publishes the results");
  const { arms: specs, data } = mapTexts(identity, withoutFolder);
  return summaries.flatMap(({ arms: [of], counts, users, usd, repeats, metrics }) => {
    const arm = specs.find(({ id }) => id === of)!; // the same plan, paths shortened
    const { temperature, ...options } = arm.options;
    const [task, method, id] = [tasks.get(arm.task), withoutFolders(arm.method), modelId(arm.model)];
    const files = data.find((one) => one.task === arm.task && one.name === arm.dataset)?.files ?? [];
    const hashes = Object.fromEntries(files.map((file) => [`sha256 of ${file.name}`, file.sha256]));
    const { questions, answered, unparsed, failed, scored } = counts;
    const results = metrics.flatMap(({ name, title, better, strict: score, interval }) => {
      if (score === undefined) return [];
      const metric = task.metrics.find((one) => one.name === name);
      const most = metric?.maxPerPair ?? (metric?.labels === undefined ? undefined : 1);
      const isBounded = most !== undefined && score <= most; // ratings off the scale may lie beyond
      return {
        evaluation_result_id: `${arm.id}.${name}`,
        evaluation_name: `${arm.task}.${method}`,
        source_data: {
          dataset_name: `${task.title} (${arm.dataset})`,
          source_type: "other",
          additional_details: { source: task.source, ...hashes },
        },
        metric_config: {
          ...{ metric_id: name, metric_name: title, lower_is_better: better === "lower" },
          ...(isBounded ? { score_type: "continuous", min_score: 0, max_score: most } : {}),
        },
        score_details: {
          score,
          uncertainty: { ...(interval && confidence(interval)), num_samples: scored },
          details: texts({ users, questions, answered, unparsed, failed, repeats, "US dollars": usd }),
        },
        generation_config: {
          generation_args: typeof temperature === "number" ? { temperature } : {},
          additional_details: texts({ method, seed: arm.seed, ...options }),
        },
      };
    });
    if (results.length === 0) return [];
    const aggregate = {
      schema_version: "0.3.0",
      evaluation_id: `lamp-eval_${arm.task}/${id}/${arm.id}`,
      evaluation_timestamp: finishedAt,
      source_metadata: {
        source_name: "lamp-eval",
        source_type: "evaluation_run",
        source_organization_name: organization,
        evaluator_relationship: "third_party",
      },
      eval_library: { name: "lamp-eval", version: version() },
      model_info: {
        name: arm.model,
        id,
        inference_platform: arm.model.split("/", 1)[0],
        additional_details: { deployment_type: "unknown", model_availability: "unknown" },
      },
      evaluation_results: results,
      retrieved_timestamp: String(clock.now() / 1000),
    };
    const file = join(to, `data/lamp-eval/${id}/${uuidOf(contentId([arm.id, startedAt]))}.json`);
    writeText(file, `${JSON.stringify(aggregate, undefined, 2)}\n`);
    return [file];
  });
}

/** Returns `developer/model`: the folder that the datastore demands. */
function modelId(model: string): string {
  const [platform = "", ...rest] = model.split("/");
  const [developer = "", ...name] = rest.length > 1 ? rest : [platform, ...rest];
  return [developer, name.join("_")]
    .map((part) => part.replaceAll(/[^\w.-]/g, "-").replace(/\.+$/, "") || "unknown")
    .join("/");
}

/** Returns a program's name without the folders that it was typed with: `exec:python3 /home/me/x.py`. */
const withoutFolders = (method: string): string => method.replaceAll(/(?<=^|[\s:="'])\/\S*\//g, "");

/** Returns a hash in the form of a UUID of version 4: the same at every export of the run. */
const uuidOf = (hash: string): string =>
  `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;

const confidence = ({ low, high }: { readonly low: number; readonly high: number }) => ({
  confidence_interval: { lower: low, upper: high, confidence_level: 0.95, method: "jackknife over users" },
});

/** Makes texts of values, as the form has details. What is not known is left out. */
const texts = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
