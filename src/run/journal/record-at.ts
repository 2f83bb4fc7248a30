import { closeSync, openSync, readSync } from "node:fs";
import { onFile } from "../../disk/file-error.js";
import { checkedRecord, recordOf } from "./record-line.js";
import type { Span } from "./scan.js";

/** The record at a span of a journal file; undefined where none stands there by now. Throws FileError. */
export function recordAt<T>(path: string, { offset, length }: Span): T | undefined {
  const bytes = Buffer.allocUnsafe(length);
  const got = onFile(path, "the run is unchanged", () => {
    const file = openSync(path, "r");
    try {
      return readSync(file, bytes, 0, length, offset);
    } finally {
      closeSync(file);
    }
  });
  const intact = got < length ? undefined : checkedRecord(bytes);
  return intact === undefined ? undefined : recordOf<T>(intact.body);
}
