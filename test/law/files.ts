import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { artifactsFolder } from "../../src/run/artifacts.js";
import { runFiles } from "../../src/run/run-files.js";

// The only place of this folder that knows the files of a run. Change it, not the tests, when runs are recorded in another way.

/** Files that hold what came from outside the process: replies, vectors, searches, and what was sent for them. */
const record: readonly string[] = [
  runFiles.responses,
  runFiles.vectors,
  runFiles.searches,
  runFiles.attempts,
  runFiles.batches,
];

/** Derived files that also hold times of day or durations. They are deleted, and not compared. */
const timed: readonly string[] = [runFiles.manifest, runFiles.timings];

/** Derived files that every finished run has. */
export const always: readonly string[] = [
  runFiles.rows,
  runFiles.units,
  runFiles.traces,
  runFiles.markdown,
  runFiles.csv,
  runFiles.json,
  runFiles.latex,
  runFiles.readme,
];

/** Deletes everything but the record, and what runs beside it would take built values from. */
export function deleteDerived(folder: string): void {
  rmSync(join(dirname(folder), artifactsFolder), { recursive: true, force: true });
  for (const name of readdirSync(folder))
    if (!record.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** The content of every derived file, those in subfolders too, without the timed ones. */
export function derivedFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !record.includes(name) && !timed.includes(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** The number of entries in the record. It grows with every call that is sent. */
export function recordedEntries(folder: string): number {
  const files = record.map((name) => join(folder, name)).filter((path) => existsSync(path));
  return files.reduce((sum, path) => sum + readFileSync(path, "utf8").split("\n").length - 1, 0);
}
