import * as z from "zod";
import { plannedEndpointsSchema } from "../models/endpoints.js";
import { priceRowsSchema } from "../models/prices.js";
import type { PhaseTotals, SweepFacts, SweepKind } from "../types/index.js";

/** What varies between the arms of a run, and how a reader is to look at it. */
export const sweepKinds = [
  "ablation",
  "scaling",
  "backbones",
  "grid",
  "controls",
] as const satisfies readonly SweepKind[];

const optionValue = z.union([z.string(), z.number(), z.boolean()]);

const sweepSchema: z.ZodType<SweepFacts> = z.object({
  kind: z.enum(sweepKinds),
  axes: z.array(z.object({ knob: z.string(), values: z.array(optionValue), base: optionValue.optional() })),
  undefinedFor: z.array(z.object({ task: z.string(), value: optionValue, reason: z.string() })).optional(),
});

const tokens = {
  in: z.number(),
  out: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  cacheWrite1h: z.number().optional(),
};
const calls = { calls: z.number(), ...tokens };
const long = z.array(z.object(tokens)).optional();
const totalsSchema = z.object({
  ...calls,
  long,
  billed: z.object({ ...calls, usd: z.number() }).optional(),
  batch: z.object({ ...calls, long }).optional(),
}) as z.ZodType<PhaseTotals>;

/** What decides a run's rows. Two runs with equal plans are the same run; a changed plan needs another folder. */
const planSchema = z.object({
  cells: z.array(
    z.object({
      id: z.string(),
      task: z.string(),
      dataset: z.string(),
      method: z.string(),
      model: z.string(),
      options: z.record(z.string(), optionValue),
      seed: z.number(),
      repeat: z.number(),
    }),
  ),
  data: z.array(
    z.object({
      task: z.string(),
      name: z.string(),
      files: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string() })),
      facts: z.record(z.string(), z.union([z.string(), z.number()])),
      /** Content id of every unit's visible past and questions. */
      units: z.string(),
      /** Content id of the task's wording: a changed prompt text is a changed plan. */
      wording: z.string(),
    }),
  ),
  baseUrl: z.string().optional(),
  /** The endpoints that models name, without keys and limits. */
  endpoints: plannedEndpointsSchema.optional(),
  /** Content id of the recorded Wikipedia pages that are replayed. */
  wikipedia: z.string().optional(),
  notApplied: z.array(z.string()),
  /** The predictions files that the rows were taken from, one a repeat (`lamp-eval import`). */
  imported: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string() })).optional(),
});
export type RunPlan = z.infer<typeof planSchema>;

const gitSchema = z.object({ commit: z.string(), dirty: z.boolean() });

/** What a manifest holds. */
export const manifestSchema = z.object({
  format: z.literal(2),
  /** The settings that were asked for, the later over the earlier, so that another process can open the run: no code, no logins. */
  layers: z.array(z.record(z.string(), z.unknown())).optional(),
  /** How each model was asked: wire, server, and endpoint by its content id. */
  models: z
    .record(
      z.string(),
      z.object({ api: z.string().optional(), server: z.string().optional(), endpoint: z.string().optional() }),
    )
    .optional(),
  /** The logs that answers were taken from, as they were named. */
  reused: z.array(z.string()).optional(),
  /** The one that answered in everyone's place, as it was named: nothing was sent. */
  replayed: z.string().optional(),
  /** How many requests that one lacked. */
  missed: z.number().optional(),
  /** The version that finished the run. */
  by: z.string().optional(),
  plan: planSchema,
  simulated: z.boolean(),
  /** What varies between the arms, where the run is a sweep. */
  sweep: sweepSchema.optional(),
  /** Of a judge's run: whose replies are judged, and how. */
  judged: z
    .object({
      /** The folder of the judged run, from this one. */
      run: z.string(),
      /** Its data, as they were named. */
      data: z.string().optional(),
      judge: z.string(),
      range: z.tuple([z.number(), z.number()]),
      options: z.record(z.string(), z.string()),
      against: z.string().optional(),
      /** The judged arms. */
      cells: planSchema.shape.cells,
    })
    .optional(),
  /** Metrics that the run adds to those of its tasks, by name. */
  metrics: z.array(z.string()).optional(),
  /** Code from outside that the run was begun with. Nothing is loaded because it stands here. */
  plugins: z
    .array(
      z.object({
        name: z.string(),
        version: z.string().optional(),
        /** Content id over its files. */
        hash: z.string(),
        /** SHA-256 by path from the plug-in's folder. */
        files: z.record(z.string(), z.string()),
        /** `method echo`, `task songs`. */
        brings: z.array(z.string()),
        /** Of a task in YAML what stands in it: it is data, and read again from here. */
        definition: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .optional(),
  tasks: z.array(
    z.object({
      task: z.string(),
      title: z.string(),
      dataset: z.string(),
      remarks: z.array(z.string()),
      /** What is to be told above the tables; computed when the records are read, never stored. */
      warnings: z.array(z.string()).optional(),
      /** Answers that need no model, by question, or one for all. */
      baselines: z
        .array(z.object({ name: z.string(), answers: z.union([z.string(), z.record(z.string(), z.string())]) }))
        .optional(),
      /** Methods that say nothing on the task, and why. */
      unfit: z.array(z.object({ method: z.string(), why: z.string() })).optional(),
    }),
  ),
  /** Prices of one's own that the run was begun with (`--prices`). */
  prices: priceRowsSchema.optional(),
  /** Bytes of a prompt token as replies showed them, by model and method. */
  bytesPerToken: z
    .record(z.string(), z.record(z.string(), z.object({ bytesPerToken: z.number(), replies: z.number() })))
    .optional(),
  argv: z.array(z.string()),
  startedAt: z.string(),
  node: z.string(),
  git: gitSchema.optional(),
  /** Filled in at the end. */
  finishedAt: z.string().optional(),
  /** Model ids as the provider returned them. */
  answeredBy: z.array(z.string()).optional(),
  /** Set where replies came by batches. */
  batch: z.literal(true).optional(),
  /** What the probe of each model spent, which belongs to no row: tokens, and the day. */
  probes: z
    .record(
      z.string(),
      z.object({
        day: z.string(),
        ...tokens,
      }),
    )
    .optional(),
  /** What the last process that sent calls learned of its servers' limits (a minute) and how often they refused. */
  rates: z
    .array(
      z.object({
        name: z.string(),
        started: z.number(),
        refused: z.number(),
        limits: z.record(z.string(), z.number()),
      }),
    )
    .optional(),
  /** Content id over all requests of each cell, by cell id. */
  requests: z.record(z.string(), z.string()).optional(),
  /** By cell and model, calls that rows count although an equal request of the cell had paid for them: they cost nothing. */
  repeated: z.record(z.string(), z.record(z.string(), totalsSchema)).optional(),
  /** Ids of the embedders, by what the options name: a recording is told by them without opening one. */
  embedders: z.array(z.object({ named: z.string(), similarity: z.string(), id: z.string() })).optional(),
  /** Set where the folder holds a shard, with its questions by task. */
  part: z.object({ shard: z.number(), of: z.number(), questions: z.record(z.string(), z.number()) }).optional(),
});
export type Manifest = z.infer<typeof manifestSchema>;
