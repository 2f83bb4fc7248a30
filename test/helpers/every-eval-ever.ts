import { createHash } from "node:crypto";
import * as z from "zod";

/**
 * What schema 0.3.0 of Every Eval Ever demands, of the fields that lamp-eval writes, and the rules that its validator adds (paths,
 * bounds, deployment axes, samples beside their aggregate). Written from evaleval/every_eval_ever (MIT), in our own form: no file of
 * theirs stands here. Strict everywhere, so that a field that the schema does not know is found too.
 */
const details = z.record(z.string(), z.string());
const count = z.int().nonnegative();

const result = z.strictObject({
  evaluation_result_id: z.string(),
  evaluation_name: z.string(),
  source_data: z.strictObject({
    dataset_name: z.string(),
    source_type: z.literal("other"),
    additional_details: details,
  }),
  metric_config: z
    .strictObject({
      metric_id: z.string(),
      metric_name: z.string(),
      lower_is_better: z.boolean(),
      score_type: z.literal("continuous").optional(),
      min_score: z.number().optional(),
      max_score: z.number().optional(),
    })
    .refine((one) => one.score_type === undefined || (one.min_score !== undefined && one.max_score !== undefined)),
  score_details: z.strictObject({
    score: z.number(),
    uncertainty: z.strictObject({
      confidence_interval: z
        .strictObject({
          lower: z.number(),
          upper: z.number(),
          confidence_level: z.number().min(0).max(1),
          method: z.string(),
        })
        .optional(),
      num_samples: count,
    }),
    details,
  }),
  generation_config: z.strictObject({
    generation_args: z.strictObject({ temperature: z.number().nullable().optional() }),
    additional_details: details,
  }),
});

const aggregate = z.strictObject({
  schema_version: z.literal("0.3.0"),
  evaluation_id: z.string(),
  evaluation_timestamp: z.string(),
  retrieved_timestamp: z.string().regex(/^\d+(\.\d+)?$/),
  source_metadata: z.strictObject({
    source_name: z.string(),
    source_type: z.enum(["documentation", "evaluation_run"]),
    source_organization_name: z.string(),
    evaluator_relationship: z.enum(["first_party", "third_party", "collaborative", "other"]),
  }),
  eval_library: z.strictObject({ name: z.string(), version: z.string() }),
  model_info: z.strictObject({
    name: z.string(),
    id: z.string(),
    inference_platform: z.string(),
    additional_details: z.strictObject({
      deployment_type: z.enum(["self_deployed", "externally_managed", "unknown"]),
      model_availability: z.enum(["open_weights", "closed_weights", "unknown"]),
    }),
  }),
  evaluation_results: z.array(result).min(1),
  detailed_evaluation_results: z
    .strictObject({
      format: z.literal("jsonl"),
      file_path: z.string(),
      hash_algorithm: z.literal("sha256"),
      checksum: z.string(),
      total_rows: count,
    })
    .optional(),
});

const sample = z.strictObject({
  schema_version: z.literal("instance_level_eval_0.3.0"),
  evaluation_id: z.string(),
  model_id: z.string(),
  evaluation_name: z.string(),
  evaluation_result_id: z.string(),
  sample_id: z.string(),
  sample_hash: z.string(),
  interaction_type: z.literal("single_turn"),
  input: z.strictObject({ raw: z.string(), reference: z.array(z.string()) }),
  output: z.strictObject({ raw: z.array(z.string()) }),
  answer_attribution: z.array(
    z.strictObject({
      turn_idx: count,
      source: z.string(),
      extracted_value: z.string(),
      extraction_method: z.string(),
      is_terminal: z.boolean(),
    }),
  ),
  evaluation: z.strictObject({ score: z.number(), is_correct: z.boolean() }),
  token_usage: z.strictObject({ input_tokens: count, output_tokens: count, total_tokens: count }).optional(),
  metadata: details,
});

export type Aggregate = z.infer<typeof aggregate>;
export type Sample = z.infer<typeof sample>;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

/** What is wrong with the files of an export, by their paths from its folder. */
export function offencesOf(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const place = new RegExp(`^data/lamp-eval/([\\w.-]+)/([\\w.-]+)/${UUID}(\\.json|_samples\\.jsonl)$`).exec(path);
    if (place === null) return [`${path}: no path of the datastore`];
    if (path.endsWith("l")) return files.has(path.replace("_samples.jsonl", ".json")) ? [] : [`${path}: no aggregate`];
    const read = aggregate.safeParse(JSON.parse(text));
    if (!read.success) return [`${path}: ${z.prettifyError(read.error)}`];
    return [...wrongValues(read.data, place), ...wrongSamples(read.data, path, files)].map((one) => `${path}: ${one}`);
  });
}

function wrongValues({ model_info, evaluation_results }: Aggregate, [, developer, model]: readonly string[]): string[] {
  const outside = evaluation_results.filter(({ metric_config: { min_score, max_score }, score_details: { score } }) => {
    return (min_score !== undefined && score < min_score) || (max_score !== undefined && score > max_score);
  });
  return [
    ...(model_info.id === `${developer}/${model}` ? [] : [`the path is not that of model ${model_info.id}`]),
    ...outside.map(({ evaluation_result_id }) => `${evaluation_result_id}: score out of bounds`),
  ];
}

function wrongSamples(log: Aggregate, path: string, files: ReadonlyMap<string, string>): string[] {
  const told = log.detailed_evaluation_results;
  const beside = path.replace(/json$/, "").replace(/\.$/, "_samples.jsonl");
  const text = files.get(beside);
  if (told === undefined) return text === undefined ? [] : ["its samples are not named"];
  if (told.file_path !== beside || text === undefined) return ["names other samples than those beside it"];
  const lines = text.trimEnd().split("\n");
  const read = lines.map((line) => sample.safeParse(JSON.parse(line)));
  const ids = new Set(log.evaluation_results.map(({ evaluation_result_id }) => evaluation_result_id));
  return [
    ...(lines.length === told.total_rows ? [] : ["total_rows"]),
    ...(createHash("sha256").update(text).digest("hex") === told.checksum ? [] : ["checksum"]),
    ...read.flatMap((one) => {
      if (!one.success) return [z.prettifyError(one.error)];
      const { evaluation_id, model_id, evaluation_result_id } = one.data;
      const fits =
        evaluation_id === log.evaluation_id && model_id === log.model_info.id && ids.has(evaluation_result_id);
      return fits ? [] : [`${one.data.sample_id}: ids of another aggregate`];
    }),
  ];
}
