import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, renameWhole, writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import type { Clock, Task } from "../types/index.js";
import { fetchFile, forgetPart } from "./fetch-file.js";
import type { FileFacts } from "./file-text.js";
import { readJsonArray } from "./json-records.js";

export interface DownloadSettings {
  readonly task: Task;
  readonly split: PeopleSplit;
  readonly parts: readonly Part[];
  /** Made where missing. */
  readonly folder: string;
  /** Default: the official site. */
  readonly site: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hears of long waits, one line each. */
  tell?(line: string): void;
  onProgress(file: string, bytes: number, total: number | undefined): void;
}

interface DownloadedFile {
  readonly name: string;
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly records: number;
  readonly etag?: string;
  readonly lastModified?: string;
  /** ISO 8601. */
  readonly fetchedAt: string;
}

export interface Download {
  /** `fetched` now, or `verified` against the recorded sha256. */
  readonly state: "fetched" | "verified";
  readonly file: DownloadedFile;
}

/**
 * Fetches the official files of a task, one after the other. A file that is there already is checked against `download.json`
 * beside it. Throws UsageError where the site does not give a complete JSON file, or a file is not what was recorded.
 */
export async function download(settings: DownloadSettings): Promise<readonly Download[]> {
  makeFolder(settings.folder);
  const done: Download[] = [];
  for (const remote of remoteFiles(settings.task, settings.split, settings.parts, settings.site)) {
    const recorded = (await readManifest(settings)).find(({ name }) => name === remote.name);
    done.push(await downloadOne(remote, recorded, settings));
  }
  return done;
}

const MANIFEST = "download.json";

async function downloadOne(
  remote: RemoteFile,
  recorded: DownloadedFile | undefined,
  settings: DownloadSettings,
): Promise<Download> {
  const path = join(settings.folder, remote.name);
  if (recorded !== undefined && (await exists(path)))
    return { state: "verified", file: await verify(path, recorded, remote) };
  const part = `${path}.part`;
  const { etag, lastModified } = await fetchFile(remote.url, part, {
    clock: settings.clock,
    signal: settings.signal,
    tell: (line) => settings.tell?.(line),
    onProgress: (bytes, total) => settings.onProgress(remote.name, bytes, total),
  });
  const { bytes, sha256, records } = await checkWhole(part);
  renameWhole(part, path);
  forgetPart(part);
  const file: DownloadedFile = {
    ...remote,
    bytes,
    sha256,
    records,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
    fetchedAt: new Date(settings.clock.now()).toISOString(),
  };
  await record(file, settings);
  return { state: "fetched", file };
}

async function verify(path: string, recorded: DownloadedFile, remote: RemoteFile): Promise<DownloadedFile> {
  if (recorded.url !== remote.url)
    throw new UsageError(`${path}: was fetched from ${recorded.url}, not ${remote.url}; give another --out`);
  const { sha256 } = await readJsonArray(path, () => undefined, ["golds"]);
  if (sha256 === recorded.sha256) return recorded;
  throw new UsageError(
    `${path}: sha256 ${sha256.slice(0, 12)}... is not the recorded ${recorded.sha256.slice(0, 12)}...; delete the file to fetch it again`,
  );
}

/** Reads the whole file once: it must be complete JSON. A bad one is removed, so that the next run starts clean. */
async function checkWhole(part: string): Promise<FileFacts> {
  try {
    return await readJsonArray(part, () => undefined, ["golds"]);
  } catch (error) {
    forgetPart(part);
    throw error;
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function readManifest({ folder }: DownloadSettings): Promise<readonly DownloadedFile[]> {
  const path = join(folder, MANIFEST);
  if (!(await exists(path))) return [];
  try {
    const { files } = JSON.parse(await readFile(path, "utf8")) as { files: readonly DownloadedFile[] };
    return files;
  } catch (error) {
    throw new UsageError(`${path}: cannot be read (${String(error)}); delete it to fetch the files again`);
  }
}

async function record(file: DownloadedFile, settings: DownloadSettings): Promise<void> {
  const { task, split, folder } = settings;
  const others = (await readManifest(settings)).filter(({ name }) => name !== file.name);
  const manifest = { task: task.name, split, licence: LAMP_LICENCE, files: [...others, file] };
  const path = join(folder, MANIFEST);
  writeWhole(path, `${JSON.stringify(manifest, null, 2)}\n`, { shared: true });
}

export const LAMP_SITE = "https://ciir.cs.umass.edu/downloads/LaMP/";

/** Shown wherever these data are fetched. */
export const LAMP_LICENCE =
  "LaMP's authors license their code and the way the data are made (CC BY-NC-SA 4.0, not for commercial use); the data carry their sources' own licences.";

export type PeopleSplit = "time" | "user";
export type Part = "train" | "dev" | "test";

interface RemoteFile {
  /** Local name: `dev_questions.json`. */
  readonly name: string;
  readonly url: string;
}

/**
 * Where a task lies on the site. Movies lie under `new/`; `LaMP_2/` itself holds the older news task. There is no
 * test_outputs.json: test golds are hidden. Source: https://lamp-benchmark.github.io/download.
 */
export function remoteFiles(task: Task, split: PeopleSplit, parts: readonly Part[], site: string): RemoteFile[] {
  const folder = FOLDERS[task.name];
  if (folder === undefined)
    throw new UsageError(`${task.name} is not on the download site; tasks there: ${Object.keys(FOLDERS).join(", ")}`);
  const root = new URL(`${split === "time" ? "time/" : ""}${folder}/`, site.endsWith("/") ? site : `${site}/`);
  return parts.flatMap((part) => {
    const kinds = part === "test" ? ["questions"] : ["questions", "outputs"];
    return kinds.map((kind) => ({
      name: `${part}_${kind}.json`,
      url: new URL(`${part}/${part}_${kind}.json`, root).href,
    }));
  });
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
