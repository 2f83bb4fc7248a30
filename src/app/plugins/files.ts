import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, relative, resolve, sep } from "node:path";
import { contentId } from "../../text/content-id.js";
import { type FoundPlugin, scripts, typed } from "./find.js";

/** What a plug-in was loaded from. */
interface PluginFiles {
  /** Content id over all of them. */
  readonly hash: string;
  /** SHA-256, by path from the plug-in's folder, sorted. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * The files of a plug-in, without loading it: every file that a source names by a relative path in quotes (`import`, `require`, an
 * address for a file that is read), and what that names in turn; of a package also every source in its folder. Other packages
 * are not followed. `usesLibrary`: one of the files names this package.
 */
export function namedFiles({ entry, folder, name }: FoundPlugin): { paths: string[]; usesLibrary: boolean } {
  const ofPackage = name === undefined ? [] : readdirSync(folder, { recursive: true, encoding: "utf8" });
  const isOwn = (path: string): boolean => !/(^|[\\/])node_modules[\\/]/.test(path) && sources.includes(extname(path));
  const paths = new Set([entry, ...ofPackage.filter(isOwn).map((path) => resolve(folder, path))]);
  let usesLibrary = false;
  for (const path of paths) {
    if (!sources.includes(extname(path))) continue;
    const code = readFileSync(path, "utf8");
    usesLibrary ||= LIBRARY.test(code);
    for (const [, named = ""] of code.matchAll(RELATIVE)) {
      const found = fileOf(resolve(dirname(path), named));
      if (found !== undefined) paths.add(found);
    }
  }
  return { paths: [...paths], usesLibrary };
}

export function pluginFiles({ folder }: FoundPlugin, paths: readonly string[]): PluginFiles {
  const hashes = paths.map((path) => [
    relative(folder, path).split(sep).join("/"),
    createHash("sha256").update(readFileSync(path)).digest("hex"),
  ]);
  const files = Object.fromEntries(hashes.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
  return { hash: contentId(files), files };
}

const sources = [...scripts, ...typed];
const RELATIVE = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
const LIBRARY = /["']lamp-eval["']/;

/** The file that a relative path stands for: itself, with an ending, or, as TypeScript has it, `.js` for `.ts`. */
function fileOf(path: string): string | undefined {
  const tries = [
    path,
    ...sources.map((ending) => `${path}${ending}`),
    path.replace(/\.([mc]?)js$/, ".$1ts"),
    ...sources.map((ending) => `${path}/index${ending}`),
  ];
  return tries.find((one) => existsSync(one) && statSync(one).isFile());
}
