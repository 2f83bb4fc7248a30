import { statfsSync } from "node:fs";
import { join } from "node:path";
import { FileError } from "./file-error.js";
import { removeFile } from "./growing-file.js";
import { writeWhole } from "./whole-file.js";

/** Bytes that whoever runs this may still write to the disk of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Writes a small file into a folder and removes it. Why that is refused, or undefined. */
export function tryWriting(folder: string): string | undefined {
  const path = join(folder, `.lamp-eval-doctor-${process.pid}`);
  try {
    writeWhole(path, "lamp-eval doctor\n");
    removeFile(path);
    return undefined;
  } catch (error) {
    if (error instanceof FileError) return error.message;
    throw error;
  }
}
