import { resolve } from "node:path";
import { type Audit, audit, verdictOf } from "../../data/audit.js";
import { readCut } from "../../data/cut.js";
import { type Download, download, LAMP_LICENCE, LAMP_SITE, type Part, type PeopleSplit } from "../../data/download.js";
import { inspect, type PartFacts } from "../../data/inspect.js";
import { openSource } from "../../data/open-source.js";
import { type Prepared, prepare } from "../../data/prepare.js";
import { readPaperData, writePaperData } from "../../data/profile-questions/paper-data.js";
import type { Split } from "../../data/source.js";
import { UsageError } from "../../errors.js";
import { shownAddress } from "../../net/url.js";
import { catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { PROFILE_QUESTION, profileQuestions } from "../../tasks/profile-questions.js";
import { countOf } from "../../text/count.js";
import type { Task } from "../../types/index.js";
import { downloadLines } from "./texts.js";

export { LAMP_LICENCE, LAMP_SITE } from "../../data/download.js";

export interface DownloadSettings {
  readonly task: string;
  /** `time`: the same users, later; `user`: other users. */
  readonly split: PeopleSplit;
  readonly part: Part | "all";
  /** Folder. Default: `datasets/<task>-<split>`. */
  readonly out?: string | undefined;
  /** Another address with the same folders. */
  readonly baseUrl: string;
  /** Aborted: broken off, to be resumed. */
  readonly signal?: AbortSignal | undefined;
}

interface Downloaded {
  readonly ended: "done" | "interrupted";
  readonly task: string;
  /** Absolute. */
  readonly folder: string;
  /** Empty where it was broken off. */
  readonly files: readonly Download[];
}

/** Fetches the official files of a task, resuming what was broken off and checking what is there. Tells the licence first. */
export async function downloadData(settings: DownloadSettings, io: Io): Promise<Downloaded> {
  const { split, part, out, baseUrl, signal = new AbortController().signal } = settings;
  const task = catalogueOf(io).tasks.get(settings.task, "download");
  const folder = resolve(io.cwd, out ?? `datasets/${task.name}-${split}`);
  refuseOtherSites(baseUrl);
  io.tell(LAMP_LICENCE);
  try {
    const files = await download({
      task,
      split,
      parts: part === "all" ? ["train", "dev", "test"] : [part],
      folder,
      site: baseUrl,
      clock: io.clock,
      signal,
      tell: io.tell,
      onProgress: downloadLines(io.tell),
    });
    return { ended: "done", task: task.name, folder, files };
  } catch (error) {
    if (!signal.aborted) throw error;
    io.tell("interrupted; the same command goes on where it stopped");
    return { ended: "interrupted", task: task.name, folder, files: [] };
  }
}

export interface PrepareDataSettings {
  readonly task: string;
  /** A folder with `{train|dev}_questions.json` and `_outputs.json`; of profile-questions files with questions. */
  readonly from: readonly string[];
  readonly out: string;
  /** Test users: those with the longest histories. */
  readonly users: number;
  /** Most training users written; 0: all. */
  readonly others: number;
  /** `questions`, `dev` or `share:0.4`. */
  readonly cut: string;
  /** Of profile-questions: a file with profiles, and most questions drawn of each file (0: all). */
  readonly profiles?: string | undefined;
  readonly limit: number;
  /** Ends it, as Ctrl-C does. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes per-user files out of official ones. Returns the manifest that stands beside them; undefined where it was broken off. */
export async function prepareData(settings: PrepareDataSettings, io: Io): Promise<Prepared | undefined> {
  const task = catalogueOf(io).tasks.get(settings.task, "--task");
  if (task.format !== undefined || task.table !== undefined)
    throw new UsageError(`--task ${task.name}: its files are read as they are; give run their folder with --data`);
  if (task === profileQuestions) return prepareQuestions(settings, io);
  const [from, ...more] = settings.from;
  if (from === undefined || more.length > 0)
    throw new UsageError(`--from ${settings.from.join(" --from ")}: ${task.name} is made of one folder`);
  if (settings.profiles !== undefined)
    throw new UsageError(`--profiles ${settings.profiles}: works with --task ${profileQuestions.name}`);
  const made = prepare({
    ...settings,
    task,
    from: resolve(io.cwd, from),
    out: resolve(io.cwd, settings.out),
    cut: readCut(settings.cut),
  });
  const manifest = await made.catch((error: unknown) => {
    if (settings.signal?.aborted !== true) throw error;
    io.tell("interrupted: nothing was written");
  });
  if (manifest === undefined) return undefined;
  if (Number(manifest.users) < settings.users)
    io.tell(
      `${String(manifest.users)} of the ${settings.users} users asked for ${Number(manifest.users) === 1 ? "is" : "are"} written: no more have both a question to ask (--cut ${settings.cut}) and a past`,
    );
  if (manifest["training users"] === 0)
    io.tell(
      `the pool of other users is empty: ${manifest["users in the files"] === 1 ? "the only user is a test user" : `all ${String(manifest["users in the files"])} users are test users`}; for icl and graph-rag give a smaller --users, or run with --set others=leave-one-out`,
    );
  return manifest;
}

/** Makes data of profile-questions out of the files of RUMS. */
async function prepareQuestions({ from, profiles, limit, out }: PrepareDataSettings, io: Io): Promise<Prepared> {
  if (profiles === undefined)
    throw new UsageError(`--task ${profileQuestions.name}: name its profiles with --profiles FILE`);
  const at = (path: string): string => resolve(io.cwd, path);
  const data = await readPaperData({ queries: from.map(at), profiles: at(profiles), limit });
  if (data.files.some(({ queries }) => queries.some(({ personal }) => personal === undefined)))
    io.tell("which questions of WildChat gain from a profile people must say: lamp-eval rums eval --labels FILE");
  for (const { file, form, records, left, queries } of data.files)
    io.tell(
      `${file}: ${form}, ${countOf(records, "record")}, ${left} left out, ${countOf(queries.length, "question")} taken`,
    );
  return writePaperData(data, { out: at(out), official: profileQuestions.official, wording: PROFILE_QUESTION });
}

export interface LookSettings {
  readonly task: string;
  /** Folder or file. Default: the built-in demo data. */
  readonly data?: string | undefined;
  /** Which official file is the test. */
  readonly split: Split;
}

/** Counts, history lengths, date ranges and label distribution of each part. */
export async function inspectData(settings: LookSettings, io: Io): Promise<readonly PartFacts[]> {
  const { source, task } = await opened(settings, io);
  return inspect(source, task);
}

/** Looks for leaks of test answers into what methods may see. Throws UsageError where there is no question. */
export async function auditData(
  settings: LookSettings,
  io: Io,
  examples?: number,
): Promise<Audit & { readonly verdict: ReturnType<typeof verdictOf> }> {
  const { source, task } = await opened(settings, io);
  const result = await audit(source, task, examples);
  if (result.questions === 0)
    throw new UsageError(`${settings.data ?? "demo data"}: there is no question to audit; check --data and --split`);
  return { ...result, verdict: verdictOf(result) };
}

/** Throws UsageError for what is no web address, and for a login, which no download takes. */
function refuseOtherSites(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--base-url ${shownAddress(address)}: expected a URL, as ${LAMP_SITE}`);
  if (url.username !== "" || url.password !== "")
    throw new UsageError(`--base-url ${shownAddress(address)}: downloads take no login in the address; leave it out`);
}

async function opened({ task: name, data, split }: LookSettings, io: Io) {
  const task: Task = catalogueOf(io).tasks.get(name, "--task");
  return { task, source: await openSource(data === undefined ? undefined : resolve(io.cwd, data), task, { split }) };
}
