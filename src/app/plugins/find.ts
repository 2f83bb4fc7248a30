import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, resolve, sep } from "node:path";
import { UsageError } from "../../errors.js";
import { oneLine } from "../../text/file-trouble.js";

/** Where a plug-in is. */
export interface FoundPlugin {
  /** As it was named. */
  readonly shown: string;
  /** The file that is loaded, absolute. */
  readonly entry: string;
  /** The folder that its files are named from, absolute: that of the package, else that of the file. */
  readonly folder: string;
  /** What its package.json says, where one stands in that folder. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Files that can be loaded. */
export const scripts = [".js", ".mjs", ".cjs"];
export const typed = [".ts", ".mts", ".cts"];

/** The file that a plug-in's name stands for: a path (`./mine.js`, `mine.ts`), seen from `from`, or a package installed there. */
export function findPlugin(named: string, from: string): FoundPlugin {
  const isPath = /^[./\\~]|^[A-Za-z]:[\\/]/.test(named) || [...scripts, ...typed].includes(extname(named));
  if (!isPath) return packageNamed(named, from);
  const path = resolve(from, named);
  if (!existsSync(path)) throw new UsageError(`--plugin ${named}: there is no ${path}`);
  if (statSync(path).isDirectory()) return packageIn(path, named);
  if (![...scripts, ...typed].includes(extname(path)))
    throw new UsageError(`--plugin ${named}: not a program; name a file in ${[...scripts, ...typed].join(", ")}`);
  const folder = dirname(path);
  return { shown: named, entry: path, folder, version: packageOf(folder)?.version };
}

interface Package {
  readonly name?: string;
  readonly version?: string;
  readonly main?: string;
  readonly exports?: unknown;
}

/** The first folder of that name in a `node_modules`, going up. */
function packageNamed(named: string, from: string): FoundPlugin {
  const up = (folder: string): readonly string[] =>
    dirname(folder) === folder ? [folder] : [folder, ...up(dirname(folder))];
  const found = up(resolve(from))
    .map((folder) => join(folder, "node_modules", named))
    .find((folder) => existsSync(join(folder, "package.json")));
  if (found !== undefined) return packageIn(found, named);
  const file = existsSync(join(from, named)) ? `; for the file of that name write ./${named}` : "";
  throw new UsageError(`--plugin ${named}: no package of that name is installed in ${from} or above${file}`);
}

function packageIn(folder: string, shown: string): FoundPlugin {
  const facts = packageOf(folder);
  const entry = resolve(folder, entryOf(facts?.exports) ?? facts?.main ?? "index.js");
  if (!entry.startsWith(folder + sep) || !existsSync(entry))
    throw new UsageError(`--plugin ${shown}: its package.json leads to ${entry}, and no such file is in the package`);
  return { shown, entry, folder, name: facts?.name, version: facts?.version };
}

function packageOf(folder: string): Package | undefined {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Package;
  } catch (error) {
    throw new UsageError(`${path}: not JSON: ${oneLine(error)}`);
  }
}

/** What `exports` gives to `import "package"`. */
function entryOf(given: unknown): string | undefined {
  if (typeof given === "string") return given;
  if (Array.isArray(given)) return given.map(entryOf).find((found) => found !== undefined);
  if (typeof given !== "object" || given === null) return undefined;
  const isPaths = Object.keys(given).some((key) => key.startsWith("."));
  const conditions = isPaths ? ["."] : Object.keys(given).filter((key) => CONDITIONS.includes(key));
  return conditions.map((key) => entryOf((given as Record<string, unknown>)[key])).find((found) => found !== undefined);
}

const CONDITIONS = ["import", "node", "module-sync", "require", "default"];
