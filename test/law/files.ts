import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runFiles } from "../../src/record/rows.js";

// The only place of this folder that knows the files of a run. Change it, not the tests, when runs are recorded in another way.

/** What came from outside the process, and what was sent for it. Its plan also holds when the run began, for prices. */
const record: readonly string[] = [runFiles.log];

/** Derived files that every finished run has. */
export const always: readonly string[] = [
  runFiles.rows,
  runFiles.traces,
  runFiles.markdown,
  runFiles.csv,
  runFiles.json,
  runFiles.latex,
  runFiles.readme,
];

/** Deletes everything but the record. */
export function deleteDerived(folder: string): void {
  for (const name of readdirSync(folder))
    if (!record.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** The content of every derived file, those in subfolders too. */
export function derivedFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !record.includes(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** The number of tries and their ends in the record. It grows with every call that is sent. */
export function recordedEntries(folder: string): number {
  const files = record.map((name) => join(folder, name)).filter((path) => existsSync(path));
  return files.reduce(
    (sum, path) => sum + (readFileSync(path, "utf8").match(/^\{"t":"(try|answer|failure)"/gm) ?? []).length,
    0,
  );
}
