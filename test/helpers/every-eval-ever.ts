import * as z from "zod";

/**
 * What schema 0.3.0 of Every Eval Ever demands, of the fields that lamp-eval writes, and the rules that its validator adds (paths,
 * bounds, deployment axes). Written from evaleval/every_eval_ever (MIT), in our own form: no file of
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
});

export type Aggregate = z.infer<typeof aggregate>;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

/** What is wrong with the files of an export, by their paths from its folder. */
export function offencesOf(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const place = new RegExp(`^data/lamp-eval/([\\w.-]+)/([\\w.-]+)/${UUID}\\.json$`).exec(path);
    if (place === null) return [`${path}: no path of the datastore`];
    const read = aggregate.safeParse(JSON.parse(text));
    if (!read.success) return [`${path}: ${z.prettifyError(read.error)}`];
    return wrongValues(read.data, place).map((one) => `${path}: ${one}`);
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
