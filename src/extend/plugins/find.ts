import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, resolve, sep } from "node:path";
import { UsageError } from "../../errors.js";
import { oneLine } from "../../text/file-trouble.js";

/** Where a plug-in is. */
export interface FoundPlugin {
  /** As it was named. */
  readonly named: string;
  /** The file that is loaded, absolute. */
  readonly entry: string;
  /** The folder that its files are named from, absolute: that of the package, else that of the file. */
  readonly folder: string;
  /** By the package.json in that folder. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Endings of files that can be loaded, and of those that need jiti. */
export const typed = [".ts", ".mts", ".cts"];
export const sources = [".js", ".mjs", ".cjs", ...typed];

/** Finds the file that a plug-in's name stands for: a path (`./mine.js`, `mine.ts`), seen from `from`, or a package installed there. */
export function findPlugin(named: string, from: string): FoundPlugin {
  const refusal = (what: string): UsageError => new UsageError(`--plugin ${named}: ${what}`);
  const isPath = /^[./\\~]|^[A-Za-z]:[\\/]/.test(named) || sources.includes(extname(named));
  const path = isPath ? resolve(from, named) : packageFolder(named, from);
  if (path === undefined) {
    const file = existsSync(join(from, named)) ? `; for the file of that name write ./${named}` : "";
    throw refusal(`no package of that name is installed in ${from} or above${file}`);
  }
  if (!existsSync(path)) throw refusal(`there is no ${path}`);
  if (!statSync(path).isDirectory()) {
    if (!sources.includes(extname(path))) throw refusal(`not a program; name a file in ${sources.join(", ")}`);
    const folder = dirname(path);
    return { named, entry: path, folder, version: packageIn(folder).version };
  }
  const facts = packageIn(path);
  const entry = resolve(path, entryOf(facts));
  if (!entry.startsWith(path + sep) || !existsSync(entry))
    throw refusal(`its package.json leads to ${entry}, and no such file is in the package`);
  return { named, entry, folder: path, name: facts.name, version: facts.version };
}

/** Returns the first folder of that name in a `node_modules`, going up. */
function packageFolder(named: string, from: string): string | undefined {
  const places = createRequire(join(resolve(from), "x.js")).resolve.paths(named) ?? [];
  return places.map((place) => join(place, named)).find((folder) => existsSync(join(folder, "package.json")));
}

interface Package {
  readonly name?: string;
  readonly version?: string;
  readonly main?: string;
  readonly exports?: unknown;
}

function packageIn(folder: string): Package {
  const path = join(folder, "package.json");
  try {
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Package) : {};
  } catch (error) {
    throw new UsageError(`${path}: not JSON: ${oneLine(error)}`);
  }
}

/** Returns what `exports` gives to `import "package"`, else `main`. */
function entryOf({ exports, main = "index.js" }: Package): string {
  let given = exports;
  for (const condition of [".", "import", "node", "default"])
    if (typeof given === "object" && given !== null && condition in given)
      given = (given as Readonly<Record<string, unknown>>)[condition];
  return typeof given === "string" ? given : main;
}
