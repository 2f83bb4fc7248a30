import { readSync } from "node:fs";
import { onFile } from "../../disk/file-error.js";
import { checkedRecord, type Intact, recordsWithin } from "./record-line.js";

/** Where a record's line stands, without its line break. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

/** A record of a journal file. */
export interface Frame extends Span, Intact {
  readonly kind: "record";
  /** As an editor counts. */
  readonly line: number;
}

/** Bytes of a journal file that belong to no intact record. */
export interface Damage extends Span {
  readonly kind: "damage";
  readonly line: number;
  readonly bytes: Buffer;
}

/** Behind the last line break: the record that a process was writing when it ended. */
interface Unfinished extends Span {
  readonly kind: "unfinished";
  readonly line: number;
}

/** A file that is read whole and correctly, but is not one record a line. */
interface Odd {
  readonly kind: "odd";
}

export type Found = Frame | Damage | Unfinished | Odd;

/** What can be said of a journal whose disk refuses something. */
export const SAFE = "every record that stands in it is safe";

/**
 * Everything in the open journal file of `path`, in file order. Line ends may have been changed (CRLF, CR). Damage never hides an
 * intact record beside it; only what stands behind the last line break and is no record counts as unfinished. Throws FileError.
 */
export function* scan(file: number, path: string): Generator<Found> {
  let line = 1;
  for (const { bytes, base } of wholeLines(file, path)) {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const content = bytes.subarray(start, end);
      const record = checkedRecord(content);
      if (record === undefined) yield* readLine(content, base + start, line, true);
      else yield { kind: "record", offset: base + start, length: content.length, line, ...record };
      start = end + 1;
      line += 1;
    }
    if (start < bytes.length) yield* readLine(bytes.subarray(start), base + start, line, false);
  }
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const CHUNK_BYTES = 1 << 20;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** What stands in a line that does not end where a record's own check does. */
function* readLine(bytes: Buffer, offset: number, line: number, ended: boolean): Generator<Found> {
  let start = 0;
  let end = bytes.length;
  if (offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) start = BYTE_ORDER_MARK.length;
  while (end > start && bytes[end - 1] === RETURN) end -= 1;
  if (start === end) return;
  const content = bytes.subarray(start, end);
  const record = checkedRecord(content);
  if (record !== undefined) {
    yield { kind: "record", offset: offset + start, length: end - start, line, ...record };
    if (!ended) yield { kind: "odd" };
  } else yield* pieces(content, offset + start, line, ended);
}

function* pieces(content: Buffer, offset: number, line: number, ended: boolean): Generator<Found> {
  if (content.includes(RETURN)) {
    yield { kind: "odd" };
    let start = 0;
    for (let end = content.indexOf(RETURN); end !== -1; end = content.indexOf(RETURN, start)) {
      yield* readLine(content.subarray(start, end), offset + start, line, true);
      start = end + 1;
    }
    yield* readLine(content.subarray(start), offset + start, line, ended);
    return;
  }
  const stretches = recordsWithin(content);
  if (stretches.length > 1) yield { kind: "odd" };
  for (const [i, { start, end, record }] of stretches.entries()) {
    const span = { offset: offset + start, length: end - start, line };
    if (record !== undefined) yield { kind: "record", ...span, ...record };
    else if (ended || i < stretches.length - 1) yield { kind: "damage", ...span, bytes: content.subarray(start, end) };
    else yield { kind: "unfinished", ...span };
  }
}

/** A file in pieces of whole lines with their newlines; the last may have none. Holds one piece, or a line that is longer, at a time. */
function* wholeLines(file: number, path: string) {
  let pending: Buffer = Buffer.alloc(0);
  let base = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const at = base + pending.length;
    const got = onFile(path, SAFE, () => readSync(file, chunk, 0, CHUNK_BYTES, at));
    if (got === 0) break;
    const window = pending.length === 0 ? chunk.subarray(0, got) : Buffer.concat([pending, chunk.subarray(0, got)]);
    const end = window.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield { bytes: window.subarray(0, end), base };
    pending = window.subarray(end);
    base += end;
  }
  if (pending.length > 0) yield { bytes: pending, base };
}
