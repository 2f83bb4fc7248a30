import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, extname, relative, resolve, sep } from "node:path";

/** Endings of files that can be loaded, and of those that need jiti. */
export const TYPESCRIPT_ENDINGS = [".ts", ".mts", ".cts"];
export const SOURCE_ENDINGS = [".js", ".mjs", ".cjs", ...TYPESCRIPT_ENDINGS];

/** Parts of a plug-in. */
interface PluginFiles {
  /** SHA-256, by path from the plug-in's folder, sorted. */
  readonly files: Readonly<Record<string, string>>;
  /** True where one of the files names this package. */
  readonly usesLibrary: boolean;
}

/**
 * Reads the files of a plug-in, without loading it: every file that a source names by a relative path in quotes (`import`, `require`,
 * an address for a file that is read), and what that names in turn. Packages are not followed.
 */
export function pluginFiles(entry: string): PluginFiles {
  const paths = new Set([entry]);
  const files: [string, string][] = [];
  let usesLibrary = false;
  for (const path of paths) {
    const bytes = readFileSync(path);
    files.push([relative(dirname(entry), path).split(sep).join("/"), hash("sha256", bytes)]);
    if (!SOURCE_ENDINGS.includes(extname(path))) continue;
    const code = bytes.toString("utf8");
    usesLibrary ||= /["']lamp-eval["']/.test(code);
    for (const [, named = ""] of code.matchAll(RELATIVE)) {
      const found = fileOf(resolve(dirname(path), named));
      if (found !== undefined) paths.add(found);
    }
  }
  return { usesLibrary, files: Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

const RELATIVE = /["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;

/** Returns the file that a relative path stands for: itself, with an ending, or, as TypeScript has it, `.js` for `.ts`. */
function fileOf(path: string): string | undefined {
  const tries = [path, path.replace(/\.([mc]?)js$/, ".$1ts")];
  for (const ending of SOURCE_ENDINGS) tries.push(`${path}${ending}`, `${path}/index${ending}`);
  return tries.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
}
