import { UsageError } from "../../errors.js";
import { type Catalogue, catalogueOf, extended } from "../../plan/catalogue.js";
import type { Io } from "../../plan/io.js";
import type { NamedPlugins } from "../../plan/plan.js";
import type { Manifest } from "../../record/manifest.js";
import type { ReadingIo, Runs } from "../../record/stored-run.js";
import { loadPlugin } from "./load.js";
import { recordedTasks } from "./own-task.js";

type Extended<T> = T & { readonly catalogue: Catalogue };

/** Adds what plug-ins bring to the catalogue. Throws UsageError where one cannot be loaded, is not in form, or brings a name that is taken. */
export async function withPlugins<T extends Pick<Io, "catalogue">>(
  io: T,
  ...named: readonly NamedPlugins[]
): Promise<Extended<T>> {
  let catalogue = catalogueOf(io);
  for (const { name, from } of named.flatMap(({ names, from }) => names.map((name) => ({ name, from })))) {
    const { plugin, additions } = await loadPlugin(name, from);
    const twin = catalogue.plugins.find((one) => one.name === plugin.name || one.entry === plugin.entry);
    if (twin?.entry === plugin.entry) continue; // it comes in once
    if (twin !== undefined)
      throw new UsageError(
        `two plug-ins called ${plugin.name}: ${twin.entry} and ${plugin.entry}; give one another name`,
      );
    const more = extended(catalogue, additions, `plug-in ${plugin.name}`);
    catalogue = { ...more, plugins: [...catalogue.plugins, plugin] };
  }
  return { ...io, catalogue };
}

/** Adds the tasks in YAML that these runs were begun with, where the catalogue has none of that name. */
export function withTasksOfRuns<T extends ReadingIo>(io: T, names: readonly string[]): Extended<T> {
  const catalogue = names.reduce(
    (known, name) => withRecordedTasks(known, manifestIfAny(name, io.runs), name),
    catalogueOf(io),
  );
  return { ...io, catalogue };
}

/** Adds the tasks in YAML that a run was begun with, where the catalogue has none of that name. */
export function withRecordedTasks(known: Catalogue, manifest: Pick<Manifest, "plugins">, run: string): Catalogue {
  const tasks = recordedTasks(manifest, run).filter(({ name }) => known.tasks.find(name) === undefined);
  return tasks.length === 0 ? known : extended(known, { tasks }, `the run ${run}`);
}

/** Returns the manifest of a run; empty of a folder that holds none: the command that reads it says what is wrong. */
function manifestIfAny(name: string, runs: Runs): Pick<Manifest, "plugins"> {
  try {
    return runs.find(name)?.manifest ?? {};
  } catch {
    return {};
  }
}
