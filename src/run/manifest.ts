import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isRefusal, onFile } from "../disk/file-error.js";
import { makePrivateFolder, writeNew } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { contentId } from "../text/content-id.js";
import { countOf } from "../text/count.js";
import { oneLine } from "../text/file-trouble.js";
import { placedIssue } from "../text/schema-issue.js";
import { type Manifest, manifestSchema, type RunPlan } from "./manifest-shape.js";
import { checkOf } from "./record-lines.js";
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
    if (isRefusal(error, "ENOTDIR")) throw new UsageError(`${folder}: a file; name the folder of a run`);
    return onFile(path, "the run is unchanged", () => {
      throw error;
    });
  }
  const value = parseJson(text, path);
  if (!edited) refuseDamaged(text, path);
  return parseManifest(value, path);
}

/** Whether a run folder's manifest is as it was written, its line ends apart. Throws the system's refusal. */
export const isManifestWhole = (folder: string): boolean =>
  checkHolds(readFileSync(join(folder, runFiles.manifest), "utf8"));

/** Throws UsageError naming the first field of `path` that is not as this version writes it. */
function parseManifest(value: unknown, path: string): Manifest {
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

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `${path}: not JSON: ${oneLine(error)}; put the old file back, or remove it and give the command that made the run again: stored replies are not paid for twice`,
    );
  }
}

function refuseDamaged(text: string, path: string): void {
  if (checkHolds(text)) return;
  throw new UsageError(
    `${path}: damaged or edited, its own check does not hold; put the old file back, or lamp-eval verify RUN --accept-edit REASON takes it as it stands (the replies are safe)`,
  );
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

/** A whole file of JSON whose last member, `"#"`, is the length and CRC-32 of the bytes before it, as in the journals. */
export function checkedText(value: object): string {
  const body = JSON.stringify(value, undefined, 2).slice(0, -CLOSING.length);
  return `${body},\n  "#": "${checkOf(Buffer.from(body))}"${CLOSING}\n`;
}

/** Whether such a text has a check, and it holds. */
export function checkHolds(text: string): boolean {
  const [match = "", check] = CHECK.exec(text) ?? [];
  return check !== undefined && checkOf(Buffer.from(text.slice(0, -match.length))) === check;
}

const CLOSING = "\n}";
const CHECK = /,\n {2}"#": "(\d+:[0-9a-f]{8})"\n\}\n?$/;
