import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { FileError, onFile } from "../disk/file-error.js";
import { makeFolder, removeFile, renameWhole, writeFully, writeText } from "../disk/whole-file.js";
import { ModelError, UnreachableError, UsageError } from "../errors.js";
import { longWaitMessage, retry, retryAfterMs } from "../net/retry.js";
import { messageOf } from "../text/file-trouble.js";
import type { Clock, Task } from "../types/index.js";
import { readJsonArray } from "./records.js";

export type PeopleSplit = "time" | "user";
export type Part = "train" | "dev" | "test";

export interface DownloadSettings {
  readonly task: Task;
  readonly split: PeopleSplit;
  readonly parts: readonly Part[];
  /** Made where missing. */
  readonly folder: string;
  readonly site: string;
  readonly clock: Clock;
  /** Hears of long waits, one line each. */
  tell(line: string): void;
  /** Bytes of a file on disk so far, and in all where the server says. */
  onProgress(file: string, bytes: number, total: number | undefined): void;
}

interface RemoteFile {
  /** Local name: `dev_questions.json`. */
  readonly name: string;
  readonly url: string;
}

interface DownloadedFile extends RemoteFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly records: number;
  /** ISO 8601. */
  readonly fetchedAt: string;
}

interface Download {
  /** `fetched` now, or `verified` against the recorded sha256. */
  readonly state: "fetched" | "verified";
  readonly file: DownloadedFile;
}

/**
 * Fetches the official files of a task, one after the other. A file that is there already is checked against `download.json`
 * beside it. Throws UsageError where the site does not give a complete JSON file, or a file is not what was recorded.
 */
export async function download(settings: DownloadSettings): Promise<readonly Download[]> {
  const { folder, task, split, parts, site } = settings;
  makeFolder(folder);
  const done: Download[] = [];
  for (const remote of remoteFiles(task, split, parts, site)) {
    const path = join(folder, remote.name);
    const recorded = recordedFiles(folder).find(({ name }) => name === remote.name);
    if (recorded === undefined || !existsSync(path))
      done.push({ state: "fetched", file: await fetched(remote, path, settings) });
    else done.push({ state: "verified", file: await verified(path, recorded, remote) });
  }
  return done;
}

async function fetched(remote: RemoteFile, path: string, settings: DownloadSettings): Promise<DownloadedFile> {
  const { task, split, folder, clock } = settings;
  const part = `${path}.part`;
  await fetchFile(remote, part, settings);
  const { bytes, sha256, records } = await readJsonArray(part, () => undefined, ["golds"]).catch((error: unknown) => {
    forgetPart(part); // the next time starts clean
    throw error;
  });
  renameWhole(part, path);
  forgetPart(part);
  const file = { ...remote, bytes, sha256, records, fetchedAt: new Date(clock.now()).toISOString() };
  const others = recordedFiles(folder).filter(({ name }) => name !== file.name);
  const manifest = { task: task.name, split, licence: LAMP_LICENCE, files: [...others, file] };
  writeText(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  return file;
}

async function verified(path: string, recorded: DownloadedFile, remote: RemoteFile): Promise<DownloadedFile> {
  if (recorded.url !== remote.url)
    throw new UsageError(`${path}: was fetched from ${recorded.url}, not ${remote.url}; give another --out`);
  const { sha256 } = await readJsonArray(path, () => undefined, ["golds"]);
  if (sha256 === recorded.sha256) return recorded;
  throw new UsageError(`${path}: sha256 ${sha256} is not the recorded ${recorded.sha256}; delete it to fetch it again`);
}

/** Downloaded files of a folder, with their checksums. */
const MANIFEST = "download.json";

/** Returns what was downloaded into a folder. Throws UsageError where its record cannot be read. */
function recordedFiles(folder: string): readonly DownloadedFile[] {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return [];
  try {
    const { files } = JSON.parse(readFileSync(path, "utf8")) as { files: readonly DownloadedFile[] };
    return [...files];
  } catch (error) {
    throw new UsageError(`${path}: cannot be read (${String(error)}); delete it to fetch the files again`);
  }
}

/**
 * Fetches a file into `part`, going on where an earlier try stopped, if the file on the server is still the same. Tries again after
 * broken connections, 429 and 5xx.
 */
function fetchFile(remote: RemoteFile, part: string, settings: DownloadSettings): Promise<void> {
  const { clock, tell } = settings;
  return retry(() => tryOnce(remote, part, settings), {
    policy: { tries: 6, firstWaitMs: 1_000, longestWaitMs: 30_000 },
    async wait(failed) {
      const line = longWaitMessage(new URL(remote.url).host, failed);
      if (line !== undefined) tell(line);
      await clock.sleep(failed.waitMs, new AbortController().signal);
    },
    gaveUp: ({ message }, tries) =>
      new UnreachableError(
        `${remote.url}: gave up after ${tries} tries (${message}); run the same command again to go on from ${sizeOf(part)} bytes`,
      ),
  });
}

async function tryOnce({ name, url }: RemoteFile, part: string, settings: DownloadSettings): Promise<void> {
  const have = existsSync(tagFile(part)) ? sizeOf(part) : 0;
  const rest = have > 0 ? { range: `bytes=${have}-`, "if-range": readFileSync(tagFile(part), "utf8") } : {};
  const headers = { "accept-encoding": "identity", ...rest }; // ranges and lengths are of the file itself
  const response = await fetch(url, { headers }).catch((error: unknown) => {
    throw broken(error);
  });
  const from = startOf(response, url, have);
  if (from === undefined) {
    forgetPart(part);
    throw passing(`HTTP ${response.status}, but not from byte ${have}`);
  }
  keepTag(response, part);
  const length = response.headers.get("content-length");
  const total = length === null ? undefined : from + Number(length);
  const onPart = <T>(work: () => T): T => onFile(part, "what came so far is safe", work);
  const file = onPart(() => openSync(part, from === 0 ? "w" : "a"));
  let at = from;
  try {
    for await (const chunk of response.body ?? []) {
      onPart(() => writeFully(file, chunk));
      at += chunk.length;
      settings.onProgress(name, at, total);
    }
    onPart(() => fsyncSync(file));
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw broken(error);
  } finally {
    closeSync(file);
  }
  if (total !== undefined && at < total) throw passing(`${at} of ${total} bytes came`);
}

/** Returns the byte that a reply begins with, undefined where it is none that was asked for. Throws what a refusal stands for. */
function startOf({ status, headers }: Response, url: string, have: number): number | undefined {
  if (status === 429 || status >= 500) throw passing(`HTTP ${status}`, retryAfterMs(headers));
  const isPage = /html/i.test(headers.get("content-type") ?? "");
  const isRange = status === 206 && headers.get("content-range")?.startsWith(`bytes ${have}-`) === true;
  if (status === 416 || (status === 206 && !isRange)) return undefined;
  if (isRange || (status === 200 && !isPage)) return isRange ? have : 0;
  const what = isPage && status === 200 ? "a page, not JSON (as for wrong paths)" : `HTTP ${status}`;
  throw new UsageError(`${url}: the server answers with ${what}; check --split, --part and --base-url`);
}

/** Makes a failure that another try may mend. */
const passing = (message: string, askedMs?: number): ModelError =>
  new ModelError(message, { retryable: true, retryAfterMs: askedMs });

const broken = (error: unknown): ModelError =>
  passing(`the connection broke: ${messageOf(Object(error).cause ?? error)}`);

/** Where the version of a partial file is remembered. */
const tagFile = (part: string): string => `${part}.tag`;

/** Remembers what identifies this version of the file. Weak tags do not promise equal bytes; without a tag no rest is asked for. */
function keepTag({ headers }: Response, part: string): void {
  const etag = headers.get("etag");
  const tag = etag !== null && !etag.startsWith("W/") ? etag : headers.get("last-modified");
  if (tag === null) removeFile(tagFile(part));
  else writeText(tagFile(part), tag);
}

/** Removes a partial file and what is remembered about it. */
function forgetPart(part: string): void {
  removeFile(part);
  removeFile(tagFile(part));
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

export const LAMP_SITE = "https://ciir.cs.umass.edu/downloads/LaMP/";

/** Shown wherever these data are fetched. */
export const LAMP_LICENCE =
  "LaMP's authors license their code and the way the data are made (CC BY-NC-SA 4.0, not for commercial use); the data carry their sources' own licences.";

/** The official files that a paper's tables need, by the name of the suite. */
export const suites = {
  personaagent: { tasks: ["lamp1", "lamp2m", "lamp2n", "lamp3"], split: "time", parts: ["train", "dev"] },
} as const satisfies Readonly<Record<string, { tasks: readonly string[]; split: PeopleSplit; parts: readonly Part[] }>>;

/**
 * Returns where the files of a task lie on the site. Movies lie under `new/`; `LaMP_2/` itself holds the older news task. There is no
 * test_outputs.json: test golds are hidden. Source: https://lamp-benchmark.github.io/download.
 */
export function remoteFiles(task: Task, split: PeopleSplit, parts: readonly Part[], site: string): RemoteFile[] {
  const folder = FOLDERS[task.name];
  if (folder === undefined)
    throw new UsageError(`${task.name} is not on the download site; tasks there: ${Object.keys(FOLDERS).join(", ")}`);
  const root = new URL(`${split === "time" ? "time/" : ""}${folder}/`, site.endsWith("/") ? site : `${site}/`);
  return parts.flatMap((part) =>
    (part === "test" ? ["questions"] : ["questions", "outputs"]).map((kind) => {
      const name = `${part}_${kind}.json`;
      return { name, url: new URL(`${part}/${name}`, root).href };
    }),
  );
}

const FOLDERS: Readonly<Record<string, string>> = {
  lamp1: "LaMP_1",
  lamp2m: "LaMP_2/new",
  lamp2n: "LaMP_2",
  lamp3: "LaMP_3",
  lamp4: "LaMP_4",
  lamp5: "LaMP_5",
  lamp7: "LaMP_7",
};
