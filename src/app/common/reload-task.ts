import { catalogueOf } from "../../catalogue.js";
import { dataOptions } from "../../data/options.js";
import type { Manifest } from "../../run/manifest.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import type { Io } from "../io.js";
import { runSettings } from "../run/config/run-settings.js";
import { loadTask } from "../run/data/load-task.js";

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
