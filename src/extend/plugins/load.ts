import { existsSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../../errors.js";
import type { Additions, Plugin } from "../../plan/catalogue.js";
import { contentId } from "../../text/content-id.js";
import { firstLine } from "../../text/file-trouble.js";
import { checkedPlugin } from "./check.js";
import { pluginFiles, SOURCE_ENDINGS, TYPESCRIPT_ENDINGS } from "./files.js";
import { isOwnTaskFile, loadOwnTask } from "./own-task.js";

/** A plug-in and the things in it. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly additions: Additions;
}

/** Loads what a name stands for, seen from the folder `from`. Throws UsageError, one line with the file, on whatever is wrong with it. */
export async function loadPlugin(named: string, from: string): Promise<LoadedPlugin> {
  if (isOwnTaskFile(named)) return loadOwnTask(named, from);
  const entry = findPlugin(named, from);
  const { files, usesLibrary } = pluginFiles(entry);
  const { name, version, ...additions } = checkedPlugin(await moduleOf(entry, named, usesLibrary), named);
  const brings = Object.entries(additions).flatMap(([kind, things]: [string, Additions[keyof Additions]]) =>
    (things ?? []).map((thing) => `${kind.replace(/s$/, "")} ${thing.name}`),
  );
  const plugin = {
    name: name ?? basename(entry, extname(entry)),
    ...(version === undefined ? {} : { version }),
    ...{ hash: contentId(files), files, brings, entry },
  };
  return { plugin, additions };
}

/** Returns the file of a plug-in, absolute: a path seen from `from`, or the index of a folder. */
function findPlugin(named: string, from: string): string {
  const path = resolve(from, named);
  const indexes = SOURCE_ENDINGS.map((ending) => join(path, `index${ending}`));
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const entry = isFolder ? (indexes.find(existsSync) ?? indexes[0]!) : path;
  if (!existsSync(entry)) throw new UsageError(`--plugin ${named}: there is no ${entry}`);
  if (SOURCE_ENDINGS.includes(extname(entry))) return entry;
  throw new UsageError(`--plugin ${named}: not a program; name a file in ${SOURCE_ENDINGS.join(", ")}`);
}

async function moduleOf(entry: string, named: string, usesLibrary: boolean): Promise<unknown> {
  try {
    if (TYPESCRIPT_ENDINGS.includes(extname(entry))) return await typedModule(entry, named, usesLibrary);
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
async function typedModule(entry: string, named: string, usesLibrary: boolean): Promise<unknown> {
  const jiti = await import("jiti").catch(() => {
    throw new UsageError(`--plugin ${named}: TypeScript needs jiti (npm install jiti); or compile it to JavaScript`);
  });
  const virtualModules = usesLibrary ? { "lamp-eval": await import(/* @vite-ignore */ LIBRARY) } : {};
  return jiti.createJiti(import.meta.url, { fsCache: false, virtualModules }).import(entry);
}

/** The library of this package; a variable, so that bundlers and tsc do not follow it. */
const LIBRARY: string = new URL("../../index.js", import.meta.url).href;
