import { resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { type Catalogue, catalogueOf, extended } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import type { NamedPlugins } from "../../run/plan/plan.js";
import { loadPlugin } from "./load.js";
import { ownTasksOf } from "./own-task.js";

/**
 * The same outside world with what these plug-ins bring in its catalogue; one that is there already comes in once. Throws UsageError
 * where a plug-in cannot be loaded, is not in form, or brings a name that is taken.
 */
export async function withPlugins<T extends Pick<Io, "catalogue">>(
  io: T,
  ...named: readonly NamedPlugins[]
): Promise<T & { readonly catalogue: Catalogue }> {
  let catalogue: Catalogue = catalogueOf(io);
  for (const { names, from } of named)
    for (const name of names) {
      const { plugin, additions } = await loadPlugin(name, from);
      const twin = catalogue.plugins.find((one) => one.name === plugin.name || one.entry === plugin.entry);
      if (twin?.entry === plugin.entry) continue;
      if (twin !== undefined)
        throw new UsageError(
          `two plug-ins called ${plugin.name}: ${twin.entry} and ${plugin.entry}; give one another name`,
        );
      catalogue = {
        ...extended(catalogue, additions, `plug-in ${plugin.name}`),
        plugins: [...catalogue.plugins, plugin],
      };
    }
  return { ...io, catalogue };
}

/** The same with the tasks in YAML that these runs were begun with, where the catalogue has none of that name. */
export function withTasksOfRuns<T extends Pick<Io, "catalogue" | "cwd">>(
  io: T,
  runs: readonly string[],
): T & { readonly catalogue: Catalogue } {
  let catalogue: Catalogue = catalogueOf(io);
  for (const run of runs)
    for (const task of ownTasksOf(resolve(io.cwd, run)))
      if (catalogue.tasks.find(task.name) === undefined)
        catalogue = extended(catalogue, { tasks: [task] }, `the run ${run}`);
  return { ...io, catalogue };
}
