import { UsageError } from "../../errors.js";

/** Bytes of one answer: 64 MB, as records of data files. What is longer is no answer, and scoring it would take all memory. */
const MOST_CELL_BYTES = 64 * 2 ** 20;

/** Throws UsageError naming `where` and the size for a text that is too large to be an answer. */
export function refuseLargeCell(value: unknown, where: string, most = MOST_CELL_BYTES): void {
  if (typeof value !== "string" || value.length <= most / 3) return; // no character takes more than three bytes
  const bytes = Buffer.byteLength(value);
  if (bytes > most) throw new UsageError(`${where}: "output" has ${bytes} bytes, and at most ${most} are read; cut it`);
}
