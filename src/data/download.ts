import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, renameWhole, writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import type { Task } from "../types/index.js";
import { type FetchSettings, fetchFile, forgetPart } from "./fetch-file.js";
import { readJsonArray } from "./records.js";

export type PeopleSplit = "time" | "user";
export type Part = "train" | "dev" | "test";

export interface DownloadSettings extends Omit<FetchSettings, "onProgress"> {
  readonly task: Task;
  readonly split: PeopleSplit;
  readonly parts: readonly Part[];
  /** Made where missing. */
  readonly folder: string;
  readonly site: string;
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
    const path = join(settings.folder, remote.name);
    const recorded = recordedFiles(settings.folder).find(({ name }) => name === remote.name);
    if (recorded === undefined || !existsSync(path))
      done.push({ state: "fetched", file: await fetched(remote, path, settings) });
    else done.push({ state: "verified", file: await verified(path, recorded, remote) });
  }
  return done;
}

async function fetched(remote: RemoteFile, path: string, settings: DownloadSettings): Promise<DownloadedFile> {
  const { task, split, folder, clock } = settings;
  const part = `${path}.part`;
  const onProgress = (bytes: number, total: number | undefined) => settings.onProgress(remote.name, bytes, total);
  const version = await fetchFile(remote.url, part, { ...settings, onProgress });
  const { bytes, sha256, records } = await readJsonArray(part, () => undefined, ["golds"]).catch((error: unknown) => {
    forgetPart(part); // no complete JSON: the next time starts clean
    throw error;
  });
  renameWhole(part, path);
  forgetPart(part);
  const file = { ...remote, bytes, sha256, records, ...version, fetchedAt: new Date(clock.now()).toISOString() };
  const others = recordedFiles(folder).filter(({ name }) => name !== file.name);
  const manifest = { task: task.name, split, licence: LAMP_LICENCE, files: [...others, file] };
  writeWhole(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { shared: true });
  return file;
}

async function verified(path: string, recorded: DownloadedFile, remote: RemoteFile): Promise<DownloadedFile> {
  if (recorded.url !== remote.url)
    throw new UsageError(`${path}: was fetched from ${recorded.url}, not ${remote.url}; give another --out`);
  const { sha256 } = await readJsonArray(path, () => undefined, ["golds"]);
  if (sha256 === recorded.sha256) return recorded;
  throw new UsageError(
    `${path}: sha256 ${sha256.slice(0, 12)}... is not the recorded ${recorded.sha256.slice(0, 12)}...; delete the file to fetch it again`,
  );
}

/** Which files of a folder were downloaded, with their checksums. */
const MANIFEST = "download.json";

/** Returns what was downloaded into a folder. Throws UsageError where its record cannot be read. */
function recordedFiles(folder: string): readonly DownloadedFile[] {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return [];
  try {
    const { files } = JSON.parse(readFileSync(path, "utf8")) as { files: readonly DownloadedFile[] };
    return files.filter(({ name, sha256 }) => typeof name === "string" && typeof sha256 === "string");
  } catch (error) {
    throw new UsageError(`${path}: cannot be read (${String(error)}); delete it to fetch the files again`);
  }
}

export const LAMP_SITE = "https://ciir.cs.umass.edu/downloads/LaMP/";

/** Shown wherever these data are fetched. */
export const LAMP_LICENCE =
  "LaMP's authors license their code and the way the data are made (CC BY-NC-SA 4.0, not for commercial use); the data carry their sources' own licences.";

/** The official files that a paper's tables need, by the name of the suite. */
export const suites = {
  personaagent: { tasks: ["lamp1", "lamp2m", "lamp2n", "lamp3"], split: "time", parts: ["train", "dev"] },
} as const satisfies Readonly<Record<string, { tasks: readonly string[]; split: PeopleSplit; parts: readonly Part[] }>>;

interface RemoteFile {
  /** Local name: `dev_questions.json`. */
  readonly name: string;
  readonly url: string;
}

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
