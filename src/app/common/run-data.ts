import { resolve } from "node:path";
import { dataOptions } from "../../data/options.js";
import { UsageError } from "../../errors.js";
import type { Manifest } from "../../run/manifest.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import { contentId } from "../../text/content-id.js";
import { catalogueOf } from "../catalogue.js";
import type { Io } from "../io.js";
import { runSettings } from "../run/config/resolve-settings.js";
import { planData } from "../run/data/data-facts.js";
import { loadTask } from "../run/data/load-task.js";
import type { StoredRun } from "./run-folder.js";

/** The name that the built-in demo data go by. */
const DEMO = "demo";

/**
 * A task's data of a finished run, chosen and cut as its plan says: from `data` (a folder, or task=folder pairs), or the
 * built-in ones where the run was on them. Undefined where they are not at hand, or the task is not.
 */
export async function reloadTask(
  { plan }: Manifest,
  taskName: string,
  data: string | undefined,
  io: Io,
): Promise<LoadedTask | undefined> {
  const { tasks } = catalogueOf(io);
  const facts = plan.data.find(({ task }) => task === taskName);
  const cells = plan.cells.filter(({ task }) => task === taskName);
  const [cell] = cells;
  if (cell === undefined || tasks.find(taskName) === undefined || (data === undefined && facts?.name !== DEMO))
    return undefined;
  const held = cells.flatMap(({ options }) => Object.entries(options).filter(([name]) => name in dataOptions));
  const set = Object.fromEntries(held);
  const counted = (name: string) => {
    const count = facts?.facts[name];
    return typeof count === "number" && count > 0 ? count : undefined;
  };
  const [users, limit] = [counted("users"), counted("questions")];
  const settings = runSettings(
    {
      task: plan.cells.flatMap(({ task }) => (tasks.find(task) === undefined ? [] : task)),
      method: "reloaded",
      set,
      seed: cell.seed,
      online: cell.options.online === true,
      data,
      users,
      limit,
    },
    io,
  );
  return loadTask(settings.catalogue.tasks.get(taskName), settings, io.cwd);
}

/**
 * A task's data of a run: from `data`, or where the run's command line had them. Throws UsageError where they are not at hand, or not what
 * the plan says.
 */
export async function dataOfRun(
  { manifest }: Pick<StoredRun, "manifest">,
  name: string,
  { run, data: given }: { readonly run: string; readonly data?: string | undefined },
  io: Io,
): Promise<LoadedTask> {
  const facts = manifest.plan.data.find(({ task }) => task === name);
  const data = given ?? flagValue("--data", manifest.argv);
  const hint = `give the folder of ${facts?.name ?? name} with --data`;
  let loaded: LoadedTask | undefined;
  try {
    loaded = await reloadTask(manifest, name, data, io);
  } catch (error) {
    if (given !== undefined || !(error instanceof UsageError)) throw error;
    throw new UsageError(`${run}: its data cannot be read again (${error.message}); ${hint}`);
  }
  if (loaded === undefined) throw new UsageError(`${run}: where its data are is not known; ${hint}`);
  const fresh = planData(loaded);
  const same = contentId([fresh.files, fresh.units]) === contentId([facts?.files ?? [], facts?.units ?? ""]);
  if (same) return loaded;
  throw new UsageError(
    `${resolve(io.cwd, data ?? "")}: not the data that ${run} ran on (files or visible histories differ); ${hint}`,
  );
}

/** The folder that a run's command line named for a task's data; undefined where it named none. */
export function dataFolderOf({ argv }: Pick<Manifest, "argv">, task: string): string | undefined {
  const data = flagValue("--data", argv);
  if (data?.includes("=") !== true) return data;
  const pair = data.split(",").find((one) => one.startsWith(`${task}=`));
  return pair?.slice(task.length + 1);
}

/** `--name value` or `--name=value` of a command line. */
function flagValue(name: string, argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex((word) => word === name || word.startsWith(`${name}=`));
  return argv[at] === name ? argv[at + 1] : argv[at]?.slice(name.length + 1);
}

/** The data of the tasks of a run that are at hand, by task. */
export async function tasksAgain(
  manifest: Manifest,
  data: string | undefined,
  io: Io,
): Promise<ReadonlyMap<string, LoadedTask>> {
  const loaded = new Map<string, LoadedTask>();
  for (const name of new Set(manifest.plan.cells.map(({ task }) => task))) {
    const task = await reloadTask(manifest, name, data, io);
    if (task !== undefined) loaded.set(name, task);
  }
  return loaded;
}
