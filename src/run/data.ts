import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { demoFolder } from "../data/formats/index.js";
import { doubtfulFacts, GOLDS_TASK, loadDataset } from "../data/load.js";
import { dataOptions } from "../data/options.js";
import { seenOf } from "../data/others.js";
import { lazily } from "../data/sequence.js";
import { UsageError } from "../errors.js";
import { type Catalogue, catalogueOf } from "../plan/catalogue.js";
import type { Io } from "../plan/io.js";
import type { Given, LoadedTask, Plan } from "../plan/types.js";
import type { Identity } from "../record/manifest.js";
import { fileHash } from "../record/rows.js";
import type { StoredRun } from "../record/stored-run.js";
import { complete, inArm, readOptions } from "../registry/options.js";
import { contentId, contentIdOfAll, sha256 } from "../text/content-id.js";
import { defined } from "../text/json.js";
import type { Question, Task, Unit } from "../types/index.js";

/** Where the data of a plan are found. */
interface DataSource {
  readonly plan: Pick<Plan, "tasks" | "data" | "users" | "limit" | "seed" | "online">;
  readonly catalogue: Pick<Catalogue, "tasks" | "origins">;
  /** The folder that paths start from. */
  readonly cwd: string;
}

/** Reads the data of a task: units with the history that their questions may see, and the pool of other users. */
export async function loadTask(task: Task, source: DataSource): Promise<LoadedTask> {
  const { plan, cwd } = source;
  const isOwnTask = source.catalogue.origins.has(`task ${task.name}`);
  const given = withWikiMode(optionsFor(task.name, plan), plan, isOwnTask);
  const values = complete(dataOptions, given);
  const options = readOptions(dataOptions, values);
  const areUsersDrawn = plan.users !== undefined && options["data.users"] === "drawn";
  const folder = dataPath(task, source);
  const dataset = await loadDataset({
    task,
    path: folder === undefined ? undefined : resolve(cwd, folder),
    split: options["data.split"],
    users: plan.users,
    userSeed: options["data.users"] === "drawn" ? plan.seed : undefined,
    queriesPerUser: options["data.maxQueriesPerUser"] || undefined,
    limit: plan.limit,
    emptyProfile: options["data.emptyProfile"],
    othersUsers: options["others.users"],
    tier: options["data.tier"],
    visible: options["history.visible"],
    lamp1Labels: options["lamp1.labels"],
    seed: plan.seed,
  });
  const effective = { ...values };
  if (!areUsersDrawn) delete effective["data.users"]; // it has no effect without --users
  const facts = Object.entries(dataset.facts).filter(([name]) => !UNREMARKED.includes(name));
  return {
    task,
    dataset,
    ...seenOf(dataset, task, options, plan.online),
    questions: Number(dataset.facts.questions),
    given,
    dataOptions: inArm(dataOptions, effective, task),
    remarks: [
      ...(plan.online ? ["prequential: each gold enters memory after its answer is scored"] : []),
      ...(areUsersDrawn ? ["users drawn by the seed"] : []),
      ...(plan.limit !== undefined ? ["questions taken from all users in turn (--limit)"] : []),
      ...(dataset.ordered ? [] : ["profiles in no order of time"]),
      ...facts.map(([name, value]) => `${name}: ${value}`),
    ],
  };
}

/** Returns the options that a plan gives to a task. */
const optionsFor = (task: string, { tasks }: Pick<Plan, "tasks">): Given =>
  tasks.find(({ name }) => name === task)?.options ?? {};

/** Facts that tables show without a remark, or that only an export needs. */
const UNREMARKED = ["users", "questions", GOLDS_TASK];

/**
 * Returns options that say where Wikipedia is read: nowhere for an own task, whose questions may be private; from the recorded pages for
 * the demo data, so that a first run needs no network; elsewhere, and if it is set, as given.
 */
export function withWikiMode(given: Given, { data }: Pick<Plan, "data">, isOwnTask = false): Given {
  if (given["wiki.mode"] !== undefined || (data !== undefined && !isOwnTask)) return given;
  return { ...given, "wiki.mode": isOwnTask ? "off" : "replay" };
}

/**
 * Returns the data folder of a task: `--data` is that folder, a folder with one for each of several tasks, or `task=folder` pairs.
 * Returns undefined for the demo data. Throws UsageError if the task has no folder.
 */
function dataPath(task: Task, { plan, catalogue, cwd }: DataSource): string | undefined {
  const { data, tasks: planned } = plan;
  if (data === undefined) return undefined;
  if (data.includes("=")) return pairedFolder(task, data, catalogue);
  if (planned.length === 1) return data;
  const subfolders = [task.name, task.official].map((name) => join(data, name)); // as `data download --suite` makes them
  const found = subfolders.find((folder) => existsSync(resolve(cwd, folder)));
  if (found !== undefined) return found;
  throw new UsageError(
    `--data ${data}: no folder ${task.name} in it; with several tasks name a folder with one for each, or --data ${planned.map(({ name }) => `${name}=DIR`).join(",")}`,
  );
}

/** Returns the folder of a task in `task=folder,task=folder`. */
function pairedFolder(task: Task, data: string, { tasks }: DataSource["catalogue"]): string {
  const pairs = data.split(",").map((pair) => pair.split("=", 2));
  const [folder = "", ...more] = pairs.flatMap(([name = "", path = ""]) =>
    tasks.get(name, "--data").name === task.name ? [path] : [],
  );
  if (folder !== "" && more.length === 0) return folder;
  throw new UsageError(`--data ${data}: expected one folder for ${task.name}: ${task.name}=DIR`);
}

/** Returns true if the data files of a finished run are found unchanged where a plan names them. */
export function hasSameFiles(recorded: Identity["data"], source: DataSource): boolean {
  const { catalogue, cwd } = source;
  return recorded.every(({ task: name, files }) => {
    const task = catalogue.tasks.get(name);
    const path = dataPath(task, source);
    const folder = path === undefined ? demoFolder(task) : resolve(cwd, path);
    const folders = [folder, dirname(folder), join(folder, task.name), join(folder, task.official)];
    const isSame = (file: string, { bytes, sha256 }: (typeof files)[number]): boolean =>
      statSync(file, { throwIfNoEntry: false })?.size === bytes && fileHash(file) === sha256;
    return folders.some((at) => files.every((file) => isSame(join(at, file.name), file)));
  });
}

/** Returns what identifies a task's data in a manifest: hashes of the files, of what each question may see, and of the prompts. */
export function dataIdentity({ task, dataset, units }: LoadedTask): Identity["data"][number] {
  const sample = units.at(0)?.user.history[0];
  const shown = sample === undefined ? [] : [task.formatEvent(sample), task.pose(sample) ?? null];
  return {
    task: task.name,
    name: dataset.name,
    files: dataset.files.map((file) => ({ ...file })),
    facts: { ...dataset.facts },
    units: contentIdOfAll(units),
    wording: contentId([task.summary.instruction, task.labels, ...shown]),
  };
}

/** A question of the loaded data. */
export interface KnownQuestion {
  readonly question: Question;
  readonly user: string;
  readonly gold?: string;
}

/** Returns every question of the loaded data by its id. */
export function questionsOf({ units }: LoadedTask): Map<string, KnownQuestion> {
  const known = new Map<string, KnownQuestion>();
  for (const { user, examples } of units)
    for (const { question, gold } of examples)
      known.set(question.id, { question, user: user.id, ...defined({ gold }) });
  return known;
}

/** Returns warnings about a task's data, a line each, for a person to read before any call is paid. */
export function dataWarnings({ task, dataset, units }: LoadedTask): string[] {
  const where = `${task.name} on ${dataset.name}`;
  const doubtful = Object.entries(dataset.facts).filter(([name]) => doubtfulFacts.includes(name));
  return [
    ...(task.metrics.length === 0 || hasGold(units)
      ? []
      : [`${where}: no question has a gold answer, nothing will be scored`]),
    ...doubtful.map(([name, value]) => `${where}: ${name}: ${value}`),
  ];
}

function hasGold(units: LoadedTask["units"]): boolean {
  for (const { examples } of units) if (examples.some(({ gold }) => gold !== undefined)) return true;
  return false;
}

/** A task of a stored run. */
interface StoredTask {
  readonly task: string;
  /** Where its data are: a folder, or task=folder pairs. Absent: where the run had them. */
  readonly data?: string | undefined;
}

/** Reads the data of a stored run again. Throws UsageError if they are missing, or are not the data of the run. */
export async function dataOfRun(
  { name: run, manifest }: StoredRun,
  { task: name, data }: StoredTask,
  io: Pick<Io, "catalogue" | "cwd">,
): Promise<LoadedTask> {
  const catalogue = catalogueOf(io);
  const plan = { ...manifest.plan, ...defined({ data }) };
  const identity = manifest.identity.data.find(({ task }) => task === name);
  const hint = `give the folder of ${identity?.name ?? name} with --data`;
  const source = { plan, catalogue, cwd: io.cwd };
  const loaded = await loadTask(catalogue.tasks.get(name), source).catch((error: unknown) => {
    if (data !== undefined || !(error instanceof UsageError)) throw error;
    throw new UsageError(`${run}: its data cannot be read again (${error.message}); ${hint}`);
  });
  const fresh = dataIdentity(loaded);
  const isSame = contentId([fresh.files, fresh.units]) === contentId([identity?.files ?? [], identity?.units ?? ""]);
  if (isSame) return loaded;
  throw new UsageError(
    `${plan.data ?? "the built-in data"}: not the data that ${run} ran on (files or visible histories differ); ${hint}`,
  );
}

/** Returns the shard of a user, 1 to `of`. It depends on nothing but the user's id. */
export const shardOf = (user: string, of: number): number => (Number.parseInt(sha256(user).slice(0, 12), 16) % of) + 1; // 48 bits

/** Returns a task with the users of a shard; undefined stands for all. */
export function inShard(data: LoadedTask, shard: Plan["shard"]): LoadedTask {
  return shard === undefined ? data : ofUnits(data, ({ user }) => shardOf(user.id, shard.of) === shard.shard);
}

/** Returns a task with some of its units, which are read on access. The pool of other users stays whole. */
export function ofUnits<T extends Pick<LoadedTask, "units" | "questions">>(
  loaded: T,
  isMine: (unit: Unit) => boolean,
): T {
  const places: number[] = [];
  let index = 0;
  let questions = 0;
  for (const unit of loaded.units) {
    if (isMine(unit)) {
      places.push(index);
      questions += unit.examples.length;
    }
    index += 1;
  }
  const unitAt = (place: number): Unit => loaded.units.at(place)!; // places of the same units
  const each = function* (): Generator<Unit> {
    for (const place of places) yield unitAt(place);
  };
  return { ...loaded, units: lazily(places.length, each, (at) => unitAt(places[at]!)), questions };
}
