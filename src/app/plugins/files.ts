import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, extname, isAbsolute, relative, resolve, sep } from "node:path";
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
 * Follows a plug-in from its entry, without loading it: every file that a source names by a relative path in quotes (`import`,
 * `export from`, `import()`, `require`, an address for a file that is read), and what that names in turn. So it knows what is loaded
 * late, too, where that is named so; more than what is loaded may be in it. Packages are not followed. `usesLibrary`: one of them
 * names this package.
 */
export function namedFiles({ entry }: FoundPlugin): { paths: string[]; usesLibrary: boolean } {
  const paths = new Set<string>([entry]);
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

/** The hashes of files that were named, and of those opened ones (real paths) that are in the plug-in's folder and in no package of it. */
export function pluginFiles({ folder }: FoundPlugin, named: readonly string[], opened: readonly string[]): PluginFiles {
  const home = realpathSync(folder);
  const inside = opened.map((path) => relative(home, path)).filter(isOwn);
  const names = new Set([...named.map((path) => relative(folder, path)), ...inside]);
  const hashes = [...names].sort().flatMap((name) => {
    const path = resolve(folder, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
      ? [[name.split(sep).join("/"), createHash("sha256").update(readFileSync(path)).digest("hex")]]
      : [];
  });
  const files = Object.fromEntries(hashes);
  return { hash: contentId(files), files };
}

const sources = [...scripts, ...typed];
const RELATIVE = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
const LIBRARY = /["']lamp-eval["']/;

/** Of a path from the folder. */
const isOwn = (name: string): boolean => !isAbsolute(name) && !/(^|[\\/])(\.\.|node_modules)([\\/]|$)/.test(name);

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
