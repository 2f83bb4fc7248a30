import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { dataOptions, loadDataset, seenOf } from "../../../data/index.js";
import { UsageError } from "../../../errors.js";
import { complete, inCell, readOptions } from "../../../registry/options.js";
import type { LoadedTask } from "../../../run/plan/plan.js";
import type { OptionValue, Task } from "../../../types/index.js";
import type { RunSettings } from "../config/resolve-settings.js";

/** Reads a task's data, cuts it to what each question may see, and gathers the pool of other users. */
export async function loadTask(task: Task, settings: RunSettings, cwd: string): Promise<LoadedTask> {
  const given = withDemoFixture(settings.setFor(task.name), settings);
  const knobs = complete(dataOptions, given);
  const data = readOptions(dataOptions, knobs);
  const path = dataPath(task, settings, cwd);
  const dataset = await loadDataset({
    task,
    path,
    split: data["data.split"],
    users: settings.users,
    userSeed: data["data.users"] === "drawn" ? settings.seed : undefined,
    queriesPerUser: data["data.maxQueriesPerUser"] === 0 ? undefined : data["data.maxQueriesPerUser"],
    limit: settings.limit,
    emptyProfile: data["data.emptyProfile"],
    othersUsers: data["others.users"],
    tier: data["data.tier"],
    lamp1Labels: data["lamp1.labels"],
    seed: settings.seed,
  });
  const { units, others } = seenOf(dataset, task, data, settings.online);
  const online = settings.online ? ["prequential: each gold enters memory after its answer is scored"] : [];
  const isDrawn = settings.users !== undefined && data["data.users"] === "drawn";
  const { "data.users": users, ...always } = knobs;
  const telling = { ...always, ...(isDrawn ? { "data.users": users } : {}) }; // says nothing without --users
  const remarks = [
    ...online,
    ...(isDrawn ? ["users drawn by the seed"] : []),
    ...(settings.limit !== undefined ? ["questions taken from all users in turn (--limit)"] : []),
    ...(dataset.ordered ? [] : ["profiles in no order of time"]),
    ...Object.entries(dataset.facts)
      .filter(([name]) => !shownElsewhere.includes(name))
      .map(([name, value]) => `${name}: ${value}`),
  ];
  return {
    task,
    dataset,
    units,
    questions: Number(dataset.facts.questions),
    others,
    given,
    dataOptions: inCell(dataOptions, telling, task),
    online: settings.online,
    remarks,
  };
}

/** The demo data bring recorded Wikipedia pages, so that a first run needs no network. */
export function withDemoFixture(
  given: Readonly<Record<string, OptionValue>>,
  { data }: RunSettings,
): Readonly<Record<string, OptionValue>> {
  return data === undefined && given["wiki.mode"] === undefined ? { ...given, "wiki.mode": "replay" } : given;
}

/** Facts that every table shows anyway. */
const shownElsewhere = ["users", "questions"];

/** `--data` is the folder of the task, a folder with one for each task, or `task=folder` pairs. Undefined: the demo data. */
function dataPath(task: Task, { data, tasks: chosen, catalogue }: RunSettings, cwd: string): string | undefined {
  if (data === undefined) return undefined;
  if (!data.includes("=")) {
    if (chosen.length === 1) return resolve(cwd, data);
    const below = [task.name, task.official].map((name) => resolve(cwd, data, name)).find(existsSync); // as `data download --suite` makes it
    if (below !== undefined) return below;
    throw new UsageError(
      `--data ${data}: no folder ${task.name} in it; with several tasks name a folder with one for each, or --data ${chosen.map((name) => `${name}=DIR`).join(",")}`,
    );
  }
  const pairs = data.split(",").map((pair) => pair.split("=", 2) as [string, string | undefined]);
  const [folder, ...more] = pairs.flatMap(([name, path = ""]) =>
    catalogue.tasks.get(name, "--data").name === task.name ? [path] : [],
  );
  if (more.length > 0) throw new UsageError(`--data ${data}: names ${task.name} twice; keep one`);
  if (folder === undefined || folder === "")
    throw new UsageError(`--data ${data}: no folder for ${task.name}; add ${task.name}=DIR`);
  return resolve(cwd, folder);
}
