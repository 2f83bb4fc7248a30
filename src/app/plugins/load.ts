import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../../errors.js";
import type { Additions, Plugin } from "../../run/catalogue.js";
import { firstLine } from "../../text/file-trouble.js";
import { checkedPlugin } from "./check.js";
import { namedFiles, pluginFiles } from "./files.js";
import { type FoundPlugin, findPlugin, typed } from "./find.js";
import { isOwnTaskFile, loadOwnTask } from "./own-task.js";

/** A plug-in and the things in it. */
interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly additions: Additions;
}

/** Loads what a name stands for, seen from the folder `from`. Throws UsageError, one line with the file, on whatever is wrong with it. */
export async function loadPlugin(named: string, from: string): Promise<LoadedPlugin> {
  if (isOwnTaskFile(named)) return loadOwnTask(named, from);
  const found = findPlugin(named, from);
  const { paths, usesLibrary } = namedFiles(found);
  const { name, version, ...additions } = checkedPlugin(await moduleOf(found, usesLibrary), named);
  const known = version ?? found.version;
  return {
    plugin: {
      name: name ?? found.name ?? basename(found.entry, extname(found.entry)),
      ...(known === undefined ? {} : { version: known }),
      ...pluginFiles(found, paths),
      brings: thingsOf(additions),
      entry: found.entry,
    },
    additions,
  };
}

/** `method echo`, `task songs`. */
const thingsOf = (additions: Additions): string[] =>
  Object.entries(additions).flatMap(([kind, things]: [string, Additions[keyof Additions]]) =>
    (things ?? []).map(({ name }) => `${kind.replace(/s$/, "")} ${name}`),
  );

async function moduleOf(found: FoundPlugin, usesLibrary: boolean): Promise<unknown> {
  const { entry, shown } = found;
  try {
    if (typed.includes(extname(entry))) return await typedModule(found, usesLibrary);
    return await import(pathToFileURL(entry).href);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const line = firstLine(error);
    const hint = line.includes("'lamp-eval'")
      ? "; install lamp-eval in its folder (npm install lamp-eval), or leave the import out: define... only checks types"
      : "";
    throw new UsageError(`--plugin ${shown}: cannot be loaded: ${line}${hint}`);
  }
}

/** Through jiti, in which `lamp-eval` is this very package, so that a plug-in needs no installation of its own. */
async function typedModule({ entry, shown }: FoundPlugin, usesLibrary: boolean): Promise<unknown> {
  const jiti = await import("jiti").catch(() => {
    throw new UsageError(`--plugin ${shown}: TypeScript needs jiti (npm install jiti); or compile it to JavaScript`);
  });
  const library: unknown = usesLibrary ? await import(/* @vite-ignore */ LIBRARY) : undefined;
  const modules = usesLibrary ? { virtualModules: { "lamp-eval": library } } : {};
  return jiti.createJiti(import.meta.url, { fsCache: false, ...modules }).import(entry);
}

/** The library face of this package; a variable, since nothing in here is made from it. */
const LIBRARY: string = new URL("../../index.js", import.meta.url).href;
