import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { UsageError } from "../errors.js";
import { readLog } from "../log/log.js";
import type { State } from "../log/state.js";
import { contentId } from "../text/content-id.js";
import { countOf } from "../text/count.js";
import { placedIssue } from "../text/schema-issue.js";
import { type Manifest, manifestSchema, type RunPlan } from "./manifest-shape.js";
import { partName } from "./plan/part.js";
import { runFiles } from "./run-files.js";

export type { Manifest, RunPlan } from "./manifest-shape.js";

/** `lamp2m-rag-1a2b3c4d`: the same plan, the same folder, so that the same command resumes. */
export function runName(plan: RunPlan): string {
  const tasks = unique(plan.cells.map(({ task }) => task));
  const methods = unique(plan.cells.map(({ method }) => method));
  const part = (names: readonly string[], kind: string) =>
    names.length <= 3 ? names.map(inFileName).join("+") : `${names.length}-${kind}`;
  return `${part(tasks, "tasks")}-${part(methods, "methods")}-${contentId(plan).slice(0, 8)}`;
}

/** The run of a folder, as its log describes it; undefined where there is none. Throws UsageError on a log that cannot be read. */
export function readManifest(folder: string): Manifest | undefined {
  const path = join(folder, runFiles.log);
  if (!existsSync(path)) {
    if (existsSync(folder) && !statSync(folder).isDirectory())
      throw new UsageError(`${folder}: a file; name the folder of a run`);
    return undefined;
  }
  const log = readLog(path);
  try {
    return manifestOf(log.state, path);
  } finally {
    log.close();
  }
}

/** The run that a log is of: its plan, with what was learned since. Throws UsageError on a plan of another version. */
export function manifestOf({ plan, facts, end }: State, path: string): Manifest | undefined {
  if (plan === undefined) return undefined;
  const result = manifestSchema.safeParse({ ...Object(plan), ...Object.fromEntries(facts) });
  if (!result.success) throw new UsageError(`${path}: not a run of this version: ${placedIssue(result.error)}`);
  const { finishedAt, ...manifest } = result.data;
  return end === undefined || finishedAt === undefined ? manifest : { ...manifest, finishedAt, by: end.by };
}

/** Throws UsageError naming the first difference when the folder holds another plan. */
export function refuseChangedPlan(folder: string, old: RunPlan, fresh: RunPlan): void {
  const changed = changedSetting(old, fresh);
  if (changed === undefined) return;
  const [held, asked] = [armsText(old), armsText(fresh)];
  const setting = changed.path.replace(/^cells\.\d+\.(options\.)?/, "");
  const what =
    held === asked
      ? `with ${setting} ${changed.was}; you asked for ${changed.is}`
      : `of ${held}; you asked for ${asked}`;
  throw new UsageError(`${folder} holds a run ${what}: choose another --out, or repeat the old command to resume`);
}

/** `rag, prompt on lamp3`, and how often and by which models where they are several. */
function armsText({ cells }: RunPlan): string {
  const listed = (of: (cell: RunPlan["cells"][number]) => string | number) => [...new Set(cells.map(of))];
  const models = listed(({ model }) => model);
  const repeats = listed(({ repeat }) => repeat).length;
  return `${listed(({ method }) => method).join(", ")} on ${listed(({ task }) => task).join(", ")} by ${models.join(", ")}${repeats > 1 ? `, ${countOf(repeats, "repeat")}` : ""}`;
}

/** The first setting in which two plans, or other values, differ, and its values; undefined where they are equal. */
export function changedSetting(
  old: object,
  fresh: object,
): { readonly path: string; readonly was: string; readonly is: string } | undefined {
  const before = leaves(old);
  const after = leaves(fresh);
  const differing = unique([...before.keys(), ...after.keys()]).filter((path) => before.get(path) !== after.get(path));
  const changed = differing.find((path) => !/^cells\.\d+\.id$/.test(path)) ?? differing[0]; // an id only follows from the rest
  if (changed === undefined) return undefined;
  const say = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
  return { path: changed, was: say(before.get(changed)), is: say(after.get(changed)) };
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** `exec:./mine.py` becomes `exec-mine-py`. */
const inFileName = (name: string): string => name.replaceAll(/\W+/g, "-").replace(/^-|-$/g, "").slice(0, 40);

function leaves(value: unknown, path = "", found = new Map<string, unknown>()): Map<string, unknown> {
  if (value === null || typeof value !== "object") return found.set(path, value);
  for (const [key, part] of Object.entries(value)) leaves(part, path === "" ? key : `${path}.${key}`, found);
  return found;
}

/** A plan as others may read it: no server address, and of folders and files on this machine only the last name. */
export function portablePlan({ baseUrl: _, endpoints: __, ...plan }: RunPlan): RunPlan {
  return mapTexts(plan, withoutFolder) as Omit<RunPlan, "baseUrl" | "endpoints">; // same keys, same types: only texts are shortened
}

/** A text that is a path or an address, shortened: `/home/me/pages.json`, `C:\me\pages.json`, `onnx//home/me/model`, `http://me:key@host/v1`. */
export function withoutFolder(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return "(an address)";
  const path = /^([\w-]+\/)?((?:\/|[A-Za-z]:[\\/]|\\\\).+)$/.exec(text);
  return path === null ? text : `${path[1] ?? ""}${basename((path[2] ?? "").replaceAll("\\", "/"))}`;
}

/** The same value, every text in it changed. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapTexts(part, change)]));
}

/** The run of a folder whose numbers are to be shown, with what every table says of it; undefined where there is none. */
export function readRun(folder: string): Manifest | undefined {
  const manifest = readManifest(folder);
  if (manifest?.part === undefined) return manifest;
  const warning = `PART OF A RUN: ${partName(manifest.part)}; run it without --shard and with --reuse SHARD for each to join them`;
  return { ...manifest, tasks: manifest.tasks.map((facts) => ({ ...facts, warnings: [warning] })) };
}
