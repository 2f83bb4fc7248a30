import {
  closeSync,
  fdatasyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UsageError } from "../errors.js";
import { contentId } from "../text/content-id.js";
import type { SweepFacts } from "../types.js";
import { runFiles } from "./run-rows.js";
import { sweepKinds } from "./sweep.js";

const optionValue = z.union([z.string(), z.number(), z.boolean()]);

const sweepSchema: z.ZodType<SweepFacts> = z.object({
  kind: z.enum(sweepKinds),
  axes: z.array(z.object({ knob: z.string(), values: z.array(optionValue), base: optionValue.optional() })),
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
  /** Content id of the recorded Wikipedia pages that are replayed. */
  wikipedia: z.string().optional(),
  notApplied: z.array(z.string()),
  /** The predictions files that the rows were taken from, one a repeat (`lamp-eval import`). */
  imported: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string() })).optional(),
});
export type RunPlan = z.infer<typeof planSchema>;

const manifestSchema = z.object({
  format: z.literal(1),
  plan: planSchema,
  simulated: z.boolean(),
  /** What varies between the arms, where the run is a sweep. */
  sweep: sweepSchema.optional(),
  /** Metrics that the run adds to those of its tasks, by name. */
  metrics: z.array(z.string()).optional(),
  tasks: z.array(
    z.object({
      task: z.string(),
      title: z.string(),
      dataset: z.string(),
      remarks: z.array(z.string()),
      floor: z.object({ count: z.number(), values: z.record(z.string(), z.number()) }).optional(),
    }),
  ),
  argv: z.array(z.string()),
  startedAt: z.string(),
  node: z.string(),
  git: z.object({ commit: z.string(), dirty: z.boolean() }).optional(),
  /** Filled in at the end. */
  finishedAt: z.string().optional(),
  /** Model ids as the provider returned them. */
  answeredBy: z.array(z.string()).optional(),
  /** Content id over all requests of each cell, by cell id. */
  requests: z.record(z.string(), z.string()).optional(),
  /** SHA-256 of the record files (rows, units, timings, traces, responses) at the end, by file name. */
  records: z.record(z.string(), z.string()).optional(),
  /** Ids of the embedders, by what the options name: a recording is told by them without opening one. */
  embedders: z.array(z.object({ named: z.string(), similarity: z.string(), id: z.string() })).optional(),
  /** Set where all replies came from a recording; `stale`: requests that it did not hold. */
  replay: z.object({ cassette: z.string(), stale: z.number() }).optional(),
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

/** The manifest of a run folder; undefined where there is none. Throws UsageError on one that cannot be read. */
export function readManifest(folder: string): Manifest | undefined {
  const path = join(folder, runFiles.manifest);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return parseManifest(parseJson(text, path), path);
}

/** Throws UsageError naming the first field of `path` that is not as this version writes it. */
export function parseManifest(value: unknown, path: string): Manifest {
  const result = manifestSchema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new UsageError(`${path}: not a manifest of this version: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** Writes by rename: a killed process leaves the old manifest or the new one, never half of one. */
export function writeManifest(folder: string, manifest: Manifest): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, runFiles.manifest);
  const file = openSync(`${path}.new`, "w");
  writeSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
  fdatasyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

/** Throws UsageError naming the first difference when the folder holds another plan. */
export function refuseChangedPlan(folder: string, old: RunPlan, fresh: RunPlan): void {
  const before = leaves(old);
  const after = leaves(fresh);
  const differing = unique([...before.keys(), ...after.keys()]).filter((path) => before.get(path) !== after.get(path));
  const changed = differing.find((path) => !/^cells\.\d+\.id$/.test(path)) ?? differing[0]; // an id only follows from the rest
  if (changed === undefined) return;
  const say = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
  throw new UsageError(
    `${folder} holds a run of another plan: ${changed} was ${say(before.get(changed))}, is now ${say(after.get(changed))}; choose another --out, or repeat the old command to resume`,
  );
}

/** Keeps two processes out of one run folder. Returns the release. A lock left by a dead process is taken over. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "lock");
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    while (!linked(own, path)) {
      const owner = ownerOf(path);
      if (owner !== process.pid && isAlive(owner))
        throw new UsageError(
          `${folder}: process ${owner} is working on this run; wait for it, or choose another --out`,
        );
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(path, { force: true });
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
    throw new UsageError(`${path}: not JSON: ${error instanceof Error ? error.message : error}; move the folder away`);
  }
}

/** Makes the lock appear with its content or not at all. False when there is one. */
function linked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** 0 where the lock has just gone. */
function ownerOf(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
