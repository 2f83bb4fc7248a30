import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../errors.js";

/** Writes a file, and the folders that it stands in. Throws UsageError where it cannot be written. */
export const writeText = (path: string, text: string): void => inFolder(path, () => writeFileSync(path, text));

/** The same, behind what the file holds. */
export const appendText = (path: string, text: string): void => inFolder(path, () => appendFileSync(path, text));

// --- internal ---

function inFolder(path: string, write: () => void): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    write();
  } catch (error) {
    throw new UsageError(`${path}: cannot be written (${error instanceof Error ? error.message : error})`);
  }
}
