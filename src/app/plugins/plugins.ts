import { resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { type Catalogue, catalogueOf, extended } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import type { Manifest } from "../../run/manifest.js";
import { loadPlugin } from "./load.js";
import { ownTasksOf } from "./own-task.js";

/** Plug-ins as somebody named them: paths start from `from`. */
export interface NamedPlugins {
  readonly names: readonly string[];
  readonly from: string;
}

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

/** What a manifest keeps of the plug-ins of a run; nothing where there are none. */
export function pluginFacts({ plugins }: Catalogue): Pick<Manifest, "plugins"> {
  if (plugins.length === 0) return {};
  return {
    plugins: plugins.map(({ entry: _, ...facts }) => ({
      ...facts,
      files: { ...facts.files },
      brings: [...facts.brings],
    })),
  };
}

/** Throws UsageError where a recorded run cannot be made again because a plug-in is not at hand. Tasks in YAML stand in the log. */
export function refuseAbsentPlugins(run: string, recorded: Manifest["plugins"], { plugins }: Catalogue): void {
  const absent = (recorded ?? []).find(
    ({ name, definition }) => definition === undefined && !plugins.some((one) => one.name === name),
  );
  if (absent === undefined) return;
  throw new UsageError(`${run}: it was made with plug-in ${absent.name}; give it again: --plugin FILE`);
}

/** Throws UsageError where a run was begun with a plug-in that is not at hand, or is another now. */
export function refuseChangedPlugins(folder: string, old: Manifest["plugins"], { plugins }: Catalogue): void {
  for (const { name, version, hash, files } of old ?? []) {
    const now = plugins.find((one) => one.name === name);
    const what = `plug-in ${name}`;
    if (now === undefined)
      throw new UsageError(`${folder} holds a run with ${what}; give it again with --plugin, or choose another --out`);
    if (now.hash === hash && now.version === version) continue;
    const paths = [...new Set([...Object.keys(files), ...Object.keys(now.files)])];
    const changed = paths
      .filter((path) => files[path] !== now.files[path])
      .map((path) => changeOf(path, files, now.files));
    if (now.version !== version) changed.push(`version ${version ?? "none"} is now ${now.version ?? "none"}`);
    if (changed.length === 0) continue;
    throw new UsageError(
      `${folder} holds a run of another plug-in: ${what} changed: ${changed.join(", ")}; choose another --out, or bring the old one back to resume`,
    );
  }
}

type Files = Readonly<Record<string, string>>;

const changeOf = (path: string, old: Files, now: Files): string =>
  `file ${path} ${old[path] === undefined ? "is new" : now[path] === undefined ? "is gone" : "is another"}`;
