import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { onFile } from "../disk/file-error.js";
import { makePrivateFolder, writeNew } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { plannedEndpointsSchema } from "../models/endpoints.js";
import { priceRowsSchema } from "../models/price-row.js";
import { contentId } from "../text/content-id.js";
import type { SweepFacts } from "../types.js";
import { checkedText, checkHolds } from "./checked-json.js";

export { lockFolder } from "./lease.js";

import { oneLine } from "../text/one-line.js";
import { placedIssue } from "../text/schema-issue.js";
import { runFiles } from "./run-rows.js";
import { sweepKinds } from "./sweep.js";

const optionValue = z.union([z.string(), z.number(), z.boolean()]);

const sweepSchema: z.ZodType<SweepFacts> = z.object({
  kind: z.enum(sweepKinds),
  axes: z.array(z.object({ knob: z.string(), values: z.array(optionValue), base: optionValue.optional() })),
  undefinedFor: z.array(z.object({ task: z.string(), value: optionValue, reason: z.string() })).optional(),
});

/** What decides a run's rows. Two runs with equal plans are the same run; a changed plan needs another folder. */
export const planSchema = z.object({
  version: z.string(),
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

const manifestSchema = z.object({
  format: z.literal(1),
  plan: planSchema,
  simulated: z.boolean(),
  /** What varies between the arms, where the run is a sweep. */
  sweep: sweepSchema.optional(),
  /** Metrics that the run adds to those of its tasks, by name. */
  metrics: z.array(z.string()).optional(),
  /** Metrics whose numbers came with imported predictions and stand in the rows. */
  given: z
    .array(
      z.object({
        name: z.string(),
        title: z.string(),
        better: z.enum(["higher", "lower"]),
        most: z.number(),
        /** The files, one a repeat. */
        files: z.array(z.object({ name: z.string(), sha256: z.string() })),
      }),
    )
    .optional(),
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
      }),
    )
    .optional(),
  tasks: z.array(
    z.object({
      task: z.string(),
      title: z.string(),
      dataset: z.string(),
      remarks: z.array(z.string()),
      floor: z.object({ count: z.number(), values: z.record(z.string(), z.number()) }).optional(),
      /** Methods that say nothing on the task, and why. */
      unfit: z.array(z.object({ method: z.string(), why: z.string() })).optional(),
    }),
  ),
  /** Prices of one's own that the run was begun with (`--prices`). */
  prices: priceRowsSchema.optional(),
  /** Calls of more prompt tokens stand one by one in the records (`PhaseTotals.long`). Absent (0.1.0): sums only. */
  longCalls: z.number().optional(),
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
  /** What each server has shown of itself, by model id: how bodies are written for it, what its replies hold; since which day. */
  endpoints: z
    .record(
      z.string(),
      z.object({
        api: z.enum(["chat", "responses", "messages", "converse"]),
        server: z.string().optional(),
        day: z.string(),
        changed: z.array(z.string()).optional(),
        limit: z.string().optional(),
        usage: z.boolean().optional(),
        reasoning: z.string().optional(),
        logprobs: z.enum(["list", "columns", "none"]).optional(),
        tools: z.literal(true).optional(),
        rateHeaders: z.array(z.string()).optional(),
        record: z
          .object({ in: z.number().optional(), out: z.number().optional(), retires: z.string().optional() })
          .optional(),
      }),
    )
    .optional(),
  /** What the probe of each model spent, which belongs to no row: tokens, and the day. */
  probes: z
    .record(
      z.string(),
      z.object({
        day: z.string(),
        in: z.number(),
        out: z.number(),
        cacheRead: z.number().optional(),
        cacheWrite: z.number().optional(),
      }),
    )
    .optional(),
  /** What the last process that sent calls learned of its servers' limits (a minute) and how often they refused. */
  rates: z
    .array(
      z.object({
        name: z.string(),
        servers: z.array(
          z.object({
            started: z.number(),
            refused: z.number(),
            cuts: z.number(),
            slots: z.number(),
            limits: z.record(z.string(), z.number()),
            cutTo: z.array(z.object({ second: z.number(), slots: z.number() })),
          }),
        ),
      }),
    )
    .optional(),
  /** Content id over all requests of each cell, by cell id. */
  requests: z.record(z.string(), z.string()).optional(),
  /** Seals of the record files at the end, by file name: see `record-hashes.ts`. */
  records: z.record(z.string(), z.string()).optional(),
  /** Seals that held before damaged records were done again, until the run has ended once more. */
  mending: z.record(z.string(), z.string()).optional(),
  /**
   * Seals of the end before, while a run that had ended is at work again: one of each file's is that of its first records.
   * Gone when the run has ended once more.
   */
  kept: z.record(z.string(), z.array(z.string())).optional(),
  /** Every change of records by a hand or by chance, for ever: all tables show it. */
  edits: z.array(z.object({ at: z.string(), reason: z.string(), files: z.array(z.string()) })).optional(),
  /** Ids of the embedders, by what the options name: a recording is told by them without opening one. */
  embedders: z.array(z.object({ named: z.string(), similarity: z.string(), id: z.string() })).optional(),
  /** Set where all replies came from a recording; `stale`: requests that it did not hold. */
  replay: z.object({ cassette: z.string(), stale: z.number() }).optional(),
  /** Set where the folder holds a part of the run: a shard, with its questions by task, or what all users share. */
  part: z
    .union([
      z.object({ shard: z.number(), of: z.number(), questions: z.record(z.string(), z.number()) }),
      z.object({ shared: z.literal(true) }),
    ])
    .optional(),
  /** Set while a merge writes the records: it is done again where it was killed. */
  merging: z.literal(true).optional(),
  /** The parts that the records were merged from. */
  merged: z
    .array(
      z.object({
        part: z.string(),
        folder: z.string(),
        startedAt: z.string(),
        finishedAt: z.string(),
        node: z.string(),
        git: gitSchema.optional(),
        /** Seals of its record files. */
        records: z.record(z.string(), z.string()),
      }),
    )
    .optional(),
  /** Where the replies come from, when only their reading is of this version (`lamp-eval rescore --write`). */
  rescored: z.object({ from: z.string(), by: z.string(), at: z.string(), rows: z.string() }).optional(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** `lamp2m-rag-1a2b3c4d`: the same plan, the same folder, so that the same command resumes. */
export function runName(plan: RunPlan): string {
  const tasks = unique(plan.cells.map(({ task }) => task));
  const methods = unique(plan.cells.map(({ method }) => method));
  const part = (names: readonly string[], kind: string) =>
    names.length <= 3 ? names.map(inFileName).join("+") : `${names.length}-${kind}`;
  return `${part(tasks, "tasks")}-${part(methods, "methods")}-${contentId(plan).slice(0, 8)}`;
}

export interface ManifestReading {
  /** Also one whose own check does not hold: it was damaged, or edited by hand. */
  readonly edited?: boolean;
}

/** The manifest of a run folder; undefined where there is none. Throws UsageError on one that cannot be read. */
export function readManifest(folder: string, { edited = false }: ManifestReading = {}): Manifest | undefined {
  const path = join(folder, runFiles.manifest);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    return onFile(path, "the run is unchanged", () => {
      throw error;
    });
  }
  if (!edited) refuseDamaged(text, path);
  return parseManifest(parseJson(text, path), path);
}

/** Whether a run folder's manifest is as it was written, its line ends apart. Throws the system's refusal. */
export const isManifestWhole = (folder: string): boolean =>
  isWhole(readFileSync(join(folder, runFiles.manifest), "utf8"));

/** Throws UsageError naming the first field of `path` that is not as this version writes it. */
export function parseManifest(value: unknown, path: string): Manifest {
  const result = manifestSchema.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${path}: not a manifest of this version: ${placedIssue(result.error)}`);
}

/** Writes the manifest as a whole, with its own check. Throws FileError, and TypeError on one that could not be read again. */
export function writeManifest(folder: string, manifest: Manifest): void {
  const text = checkedText(manifest);
  const { "#": _check, ...value } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const readable = manifestSchema.safeParse(value);
  if (!readable.success) throw new TypeError(`manifest: ${readable.error.issues[0]?.path.join(".")} cannot be written`);
  if (!isDeepStrictEqual(readable.data, value)) throw new TypeError("manifest: it would not be read as it was written");
  makePrivateFolder(folder);
  writeNew(join(folder, runFiles.manifest), text);
}

/** Throws UsageError naming the first difference when the folder holds another plan. */
export function refuseChangedPlan(folder: string, old: RunPlan, fresh: RunPlan): void {
  const changed = changedSetting(old, fresh);
  if (changed === undefined) return;
  const { path, was, is } = changed;
  throw new UsageError(
    `${folder} holds a run of another plan: ${path} was ${was}, is now ${is}; choose another --out, or repeat the old command to resume`,
  );
}

/** The first setting in which two plans differ, and its values; undefined where the plans are equal. */
export function changedSetting(
  old: RunPlan,
  fresh: RunPlan,
): { readonly path: string; readonly was: string; readonly is: string } | undefined {
  const before = leaves(old);
  const after = leaves(fresh);
  const differing = unique([...before.keys(), ...after.keys()]).filter((path) => before.get(path) !== after.get(path));
  const changed = differing.find((path) => !/^cells\.\d+\.id$/.test(path)) ?? differing[0]; // an id only follows from the rest
  if (changed === undefined) return undefined;
  const say = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
  return { path: changed, was: say(before.get(changed)), is: say(after.get(changed)) };
}

// --- internal ---

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** `exec:./mine.py` becomes `exec-mine-py`. */
const inFileName = (name: string): string => name.replaceAll(/\W+/g, "-").replace(/^-|-$/g, "").slice(0, 40);

function leaves(value: unknown, path = "", found = new Map<string, unknown>()): Map<string, unknown> {
  if (value === null || typeof value !== "object") return found.set(path, value);
  for (const [key, part] of Object.entries(value)) leaves(part, path === "" ? key : `${path}.${key}`, found);
  return found;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: not JSON: ${oneLine(error)}; move the folder away`);
  }
}

/** Throws UsageError where the check of a manifest's text does not hold. */
export function refuseDamaged(text: string, path: string): void {
  if (isWhole(text)) return;
  throw new UsageError(
    `${path}: damaged or edited, its own check does not hold; put the old file back, or lamp-eval verify RUN --accept-edit REASON takes it as it stands (the replies are safe)`,
  );
}

/** Version 0.1.0 wrote no check, and seals of another form. */
const isWhole = (text: string): boolean => checkHolds(text) ?? !SEAL_OF_TODAY.test(text);
const SEAL_OF_TODAY = /"\w+\.jsonl": \[?\s*"\d+:[0-9a-f]{64}"/;
