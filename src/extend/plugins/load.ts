import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../../errors.js";
import type { Additions, Plugin } from "../../run/catalogue.js";
import { contentId } from "../../text/content-id.js";
import { firstLine } from "../../text/file-trouble.js";
import { checkedPlugin } from "./check.js";
import { pluginFiles } from "./files.js";
import { type FoundPlugin, findPlugin, typed } from "./find.js";
import { isOwnTaskFile, loadOwnTask } from "./own-task.js";

/** A plug-in and the things in it. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly additions: Additions;
}

/** Loads what a name stands for, seen from the folder `from`. Throws UsageError, one line with the file, on whatever is wrong with it. */
export async function loadPlugin(named: string, from: string): Promise<LoadedPlugin> {
  if (isOwnTaskFile(named)) return loadOwnTask(named, from);
  const found = findPlugin(named, from);
  const { files, usesLibrary } = pluginFiles(found);
  const { name, version = found.version, ...additions } = checkedPlugin(await moduleOf(found, usesLibrary), named);
  const brings = Object.entries(additions).flatMap(([kind, things]: [string, Additions[keyof Additions]]) =>
    (things ?? []).map((thing) => `${kind.replace(/s$/, "")} ${thing.name}`),
  );
  const plugin = {
    name: name ?? found.name ?? basename(found.entry, extname(found.entry)),
    ...(version === undefined ? {} : { version }),
    ...{ hash: contentId(files), files, brings, entry: found.entry },
  };
  return { plugin, additions };
}

async function moduleOf(found: FoundPlugin, usesLibrary: boolean): Promise<unknown> {
  const { entry, named } = found;
  try {
    if (typed.includes(extname(entry))) return await typedModule(found, usesLibrary);
    return await import(pathToFileURL(entry).href);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const line = firstLine(error);
    const hint = line.includes("'lamp-eval'")
      ? "; install lamp-eval in its folder (npm install lamp-eval), or leave the import out: define... only checks types"
      : "";
    throw new UsageError(`--plugin ${named}: cannot be loaded: ${line}${hint}`);
  }
}

/** Loads TypeScript through jiti, in which `lamp-eval` is this very package, so that a plug-in needs no installation of its own. */
async function typedModule({ entry, named }: FoundPlugin, usesLibrary: boolean): Promise<unknown> {
  const jiti = await import("jiti").catch(() => {
    throw new UsageError(`--plugin ${named}: TypeScript needs jiti (npm install jiti); or compile it to JavaScript`);
  });
  const virtualModules = usesLibrary ? { "lamp-eval": await import(/* @vite-ignore */ LIBRARY) } : {};
  return jiti.createJiti(import.meta.url, { fsCache: false, virtualModules }).import(entry);
}

/** The library face of this package; a variable, since nothing in here is made from it. */
const LIBRARY: string = new URL("../../index.js", import.meta.url).href;
