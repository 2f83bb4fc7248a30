import { statSync } from "node:fs";
import { UsageError } from "../../errors.js";
import { largeCell } from "./scan-cells.js";

/** Bytes of one answer: 64 MB, as records of data files. What is longer is no answer, and scoring it would take all memory. */
const MOST_CELL_BYTES = 64 * 2 ** 20;

/** Throws UsageError naming `where` and the size for a text that is too large to be an answer. */
export function refuseLargeCell(value: unknown, where: string, most = MOST_CELL_BYTES): void {
  if (typeof value !== "string" || value.length <= most / 3) return; // no character takes more than three bytes
  const bytes = Buffer.byteLength(value);
  if (bytes > most) throw tooLarge(`${where}: "output"`, bytes, most);
}

/**
 * The same of every text of a file that is there, before it is read: throws UsageError naming `shown`, row and size of the first. Throws
 * the system's refusal to read.
 */
export function refuseLargeCells(file: string, shown: string, most = MOST_CELL_BYTES): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= most) return;
  const found = largeCell(file, most);
  if (found !== undefined) throw tooLarge(`${shown}: ${found.place}`, found.bytes, most);
}

const tooLarge = (place: string, bytes: number, most: number): UsageError =>
  new UsageError(`${place} has ${bytes} bytes, and at most ${most} are read; cut it`);
