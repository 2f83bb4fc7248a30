import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { demoFolder } from "../data/formats/index.js";
import { doubtfulFacts, loadDataset } from "../data/load.js";
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
import type { Question, Task, Unit } from "../types/index.js";

/** Reads a task's data, cuts it to what each question may see, and gathers the pool of other users. */
export async function loadTask(
  task: Task,
  plan: Pick<Plan, "tasks" | "data" | "users" | "limit" | "seed" | "online">,
  { tasks }: Pick<Catalogue, "tasks">,
  cwd: string,
): Promise<LoadedTask> {
  const given = withDemoFixture(optionsFor(task.name, plan), plan);
  const values = complete(dataOptions, given);
  const options = readOptions(dataOptions, values);
  const isDrawn = plan.users !== undefined && options["data.users"] === "drawn";
  const folder = dataPath(task, plan, tasks, cwd);
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
  const { "data.users": users, ...always } = values;
  const effective = { ...always, ...(isDrawn ? { "data.users": users } : {}) }; // data.users matters only with --users
  const facts = Object.entries(dataset.facts).filter(([name]) => !SHOWN_ELSEWHERE.includes(name));
  return {
    task,
    dataset,
    ...seenOf(dataset, task, options, plan.online),
    questions: Number(dataset.facts.questions),
    given,
    dataOptions: inArm(dataOptions, effective, task),
    remarks: [
      ...(plan.online ? ["prequential: each gold enters memory after its answer is scored"] : []),
      ...(isDrawn ? ["users drawn by the seed"] : []),
      ...(plan.limit !== undefined ? ["questions taken from all users in turn (--limit)"] : []),
      ...(dataset.ordered ? [] : ["profiles in no order of time"]),
      ...facts.map(([name, value]) => `${name}: ${value}`),
    ],
  };
}

/** Returns the options that a plan gives to a task. */
const optionsFor = (task: string, { tasks }: Pick<Plan, "tasks">): Given =>
  tasks.find(({ name }) => name === task)?.options ?? {};

/** Facts that every table shows anyway. */
const SHOWN_ELSEWHERE = ["users", "questions"];

/** The demo data bring recorded Wikipedia pages, so that a first run needs no network. */
export const withDemoFixture = (given: Given, { data }: Pick<Plan, "data">): Given =>
  data === undefined && given["wiki.mode"] === undefined ? { ...given, "wiki.mode": "replay" } : given;

/**
 * `--data` is the folder of the task, a folder with one for each of several tasks, or `task=folder` pairs. Undefined: the demo data.
 * Throws UsageError where a task has none of its own.
 */
function dataPath(
  task: Task,
  { data, tasks: chosen }: Pick<Plan, "data" | "tasks">,
  tasks: Catalogue["tasks"],
  cwd: string,
): string | undefined {
  if (data === undefined) return undefined;
  if (!data.includes("=")) {
    if (chosen.length === 1) return data;
    const below = [task.name, task.official].map((name) => join(data, name)); // as `data download --suite` makes it
    const found = below.find((folder) => existsSync(resolve(cwd, folder)));
    if (found !== undefined) return found;
    throw new UsageError(
      `--data ${data}: no folder ${task.name} in it; with several tasks name a folder with one for each, or --data ${chosen.map(({ name }) => `${name}=DIR`).join(",")}`,
    );
  }
  const pairs = data.split(",").map((pair) => pair.split("=", 2));
  const [folder = "", ...more] = pairs.flatMap(([name = "", path = ""]) =>
    tasks.get(name, "--data").name === task.name ? [path] : [],
  );
  if (folder !== "" && more.length === 0) return folder;
  throw new UsageError(`--data ${data}: expected one folder for ${task.name}: ${task.name}=DIR`);
}

/** Returns whether the files that a finished run had of its data lie unchanged where a plan names them. */
export function hasSameFiles(recorded: Identity["data"], plan: Plan, { tasks }: Catalogue, cwd: string): boolean {
  return recorded.every(({ task: name, files }) => {
    const task = tasks.get(name);
    const path = dataPath(task, plan, tasks, cwd);
    const folder = path === undefined ? demoFolder(task) : resolve(cwd, path);
    const folders = [folder, dirname(folder), join(folder, task.name), join(folder, task.official)];
    const isSame = (file: string, { bytes, sha256 }: (typeof files)[number]): boolean =>
      statSync(file, { throwIfNoEntry: false })?.size === bytes && fileHash(file) === sha256;
    return folders.some((at) => files.every((file) => isSame(join(at, file.name), file)));
  });
}

/** Returns what a run's log keeps of a task's data: hashes of the files, of what each question may see, and of the prompts. */
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

/** What the data say of a question. */
export interface KnownQuestion {
  readonly question: Question;
  readonly user: string;
  readonly gold?: string;
}

/** Every question of the loaded data by id. */
export function questionsOf({ units }: LoadedTask): Map<string, KnownQuestion> {
  const known = new Map<string, KnownQuestion>();
  for (const { user, examples } of units)
    for (const { question, gold } of examples)
      known.set(question.id, { question, user: user.id, ...(gold === undefined ? {} : { gold }) });
  return known;
}

/** Returns what the data of a run lack, a line each: no mistakes, but what nobody should find out after paying. */
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

/**
 * Reads the data of a task of a run again: from `data` (a folder, or task=folder pairs), or where the run had them. Throws UsageError
 * where they are not at hand, or not those of the run.
 */
export async function dataOfRun(
  { name: run, manifest }: StoredRun,
  name: string,
  data: string | undefined,
  io: Pick<Io, "catalogue" | "cwd">,
): Promise<LoadedTask> {
  const catalogue = catalogueOf(io);
  const plan = { ...manifest.plan, ...(data === undefined ? {} : { data }) };
  const facts = manifest.identity.data.find(({ task }) => task === name);
  const hint = `give the folder of ${facts?.name ?? name} with --data`;
  const loaded = await loadTask(catalogue.tasks.get(name), plan, catalogue, io.cwd).catch((error: unknown) => {
    if (data !== undefined || !(error instanceof UsageError)) throw error;
    throw new UsageError(`${run}: its data cannot be read again (${error.message}); ${hint}`);
  });
  const fresh = dataIdentity(loaded);
  if (contentId([fresh.files, fresh.units]) === contentId([facts?.files ?? [], facts?.units ?? ""])) return loaded;
  throw new UsageError(
    `${plan.data ?? "the built-in data"}: not the data that ${run} ran on (files or visible histories differ); ${hint}`,
  );
}

/** Returns the shard of a user, 1 to `of`: by the hash of the id alone, so that no order, method or selection moves a user. */
export const shardOf = (user: string, of: number): number => (Number.parseInt(sha256(user).slice(0, 12), 16) % of) + 1; // 48 bits

/** Returns a task with some of its units, read when they are asked for. Pools and data stay whole. */
export function ofUnits<T extends Pick<LoadedTask, "units" | "questions">>(
  loaded: T,
  isMine: (unit: Unit) => boolean,
): T {
  const places: number[] = [];
  let [index, questions] = [0, 0];
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
