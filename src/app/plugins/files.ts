import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, relative, resolve, sep } from "node:path";
import { contentId } from "../../text/content-id.js";
import { type FoundPlugin, scripts, typed } from "./find.js";

/** The files that a plug-in is made of, with what is in them. */
export interface PluginFiles {
  /** Content id over all of them. */
  readonly hash: string;
  /** SHA-256, by path from the plug-in's folder, sorted. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether one of them names this package. */
  readonly usesLibrary: boolean;
}

/**
 * Follows a plug-in from its entry: every file that a source names by a relative path in quotes (`import`, `export from`,
 * `import()`, `require`, an address for a file that is read), and what that names in turn. More than what is loaded may
 * be in it, less only where a path is put together by the program. Packages are not followed.
 */
export function pluginFiles({ entry, folder }: FoundPlugin): PluginFiles {
  const files = new Map<string, string>();
  let usesLibrary = false;
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const name = relative(folder, path).split(sep).join("/");
    if (files.has(name)) continue;
    const bytes = readFileSync(path);
    files.set(name, createHash("sha256").update(bytes).digest("hex"));
    if (!sources.includes(extname(path))) continue;
    const code = bytes.toString("utf8");
    usesLibrary ||= LIBRARY.test(code);
    for (const [, named = ""] of code.matchAll(RELATIVE)) {
      const found = fileOf(resolve(dirname(path), named));
      if (found !== undefined) open.push(found);
    }
  }
  const sorted = Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { hash: contentId(sorted), files: sorted, usesLibrary };
}

// --- internal ---

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
