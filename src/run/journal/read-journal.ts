import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { isRefusal, onFile } from "../../disk/file-error.js";
import { bodyOf, lineOf, recordOf, recordsWithin } from "./record-line.js";
import { fitsOf } from "./record-shapes.js";

/** Where a record's line stands, without its line break. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

/** A record of a journal file. */
export interface Frame<T = unknown> extends Span {
  readonly kind: "record";
  /** As an editor counts. */
  readonly line: number;
  readonly body: Buffer;
  readonly record: T;
}

/** Bytes of a journal file that belong to no intact record. */
interface Damage extends Span {
  readonly kind: "damage";
  readonly line: number;
  readonly bytes: Buffer;
}

/** Behind the last line break: the record that a process was writing when it ended. */
interface Unfinished extends Span {
  readonly kind: "unfinished";
  readonly line: number;
}

/** A file that is read whole and correctly, but is not one record a line, as this program writes it. */
interface Odd {
  readonly kind: "odd";
}

/** A damaged stretch of a journal, set aside. */
export interface SetAside {
  readonly file: string;
  /** As an editor counts, in the file as it was found. */
  readonly line: number;
  readonly text: string;
}

/** What can be said of a journal whose disk refuses something. */
export const SAFE = "every record that stands in it is safe";

/** The intact records of a journal file, in file order; none where there is no such file. Throws FileError. */
export function* readJournal<T>(path: string): Generator<T> {
  for (const { record } of framedRecords<T>(path)) yield record;
}

/** The same with the frames they stand in. */
export function* framedRecords<T>(path: string): Generator<Frame<T>> {
  for (const found of scanRecords<T>(path)) if (found.kind === "record") yield found;
}

/** What belongs to no intact record of a journal file, an unfinished last record apart. Changes nothing. */
export function* readDamage(path: string): Generator<SetAside> {
  for (const found of scanRecords(path)) if (found.kind === "damage") yield asideOf(path, found);
}

/** All that stands in a journal file; a line whose check holds, but which is no record of this file, is damage. */
export function* scanRecords<T = object>(path: string): Generator<Frame<T> | Damage | Unfinished | Odd> {
  const fits = fitsOf(path);
  for (const found of scanLines(path)) {
    if (found.kind !== "record") {
      yield found;
      continue;
    }
    const { body, ...place } = found;
    const record = recordOf<T & object>(body);
    if (fits?.(record) === false) yield { ...place, kind: "damage", bytes: lineOf(body).subarray(0, -1) };
    else yield { ...place, body, record };
  }
}

/** The same by the checks of lines alone, with records unparsed; nothing where there is no such file. Throws FileError. */
export function* scanLines(path: string): Generator<Omit<Frame, "record"> | Damage | Unfinished | Odd> {
  let file: number;
  try {
    file = onFile(path, SAFE, () => openSync(path, "r"));
  } catch (error) {
    if (error instanceof Error && isRefusal(error.cause, "ENOENT")) return;
    throw error;
  }
  try {
    let line = 1;
    for (const { bytes, base } of wholeLines(file, path)) {
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        const content = bytes.subarray(start, end);
        const body = bodyOf(content);
        if (body === undefined) yield* readOddLine(content, base + start, line, true);
        else yield { kind: "record", offset: base + start, length: content.length, line, body };
        start = end + 1;
        line += 1;
      }
      if (start < bytes.length) yield* readOddLine(bytes.subarray(start), base + start, line, false);
    }
  } finally {
    closeSync(file);
  }
}

/** The record at a span of a journal file; undefined where none stands there by now. Throws FileError. */
export function recordAt<T>(path: string, span: Span): T | undefined {
  const file = onFile(path, SAFE, () => openSync(path, "r"));
  try {
    const body = bodyAt(file, path, span);
    return body === undefined ? undefined : recordOf<T>(body);
  } finally {
    closeSync(file);
  }
}

/** The body of the line at a span of an open journal file; undefined where no whole one stands there by now. Throws FileError. */
export function bodyAt(file: number, path: string, { offset, length }: Span): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  const got = onFile(path, SAFE, () => readSync(file, bytes, 0, length, offset));
  return got < length ? undefined : bodyOf(bytes);
}

export const asideOf = (path: string, { line, bytes }: Damage): SetAside => ({
  file: basename(path),
  line,
  text: bytes.toString("latin1"),
});

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const CHUNK_BYTES = 1 << 20;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * What stands in a line that is not as it was written: line ends may have been changed (CRLF, CR), line breaks lost. Damage never
 * hides an intact record beside it; only what stands behind the last line break and is no record counts as unfinished.
 */
function* readOddLine(
  bytes: Buffer,
  offset: number,
  line: number,
  ended: boolean,
): Generator<Omit<Frame, "record"> | Damage | Unfinished | Odd> {
  let start = 0;
  let end = bytes.length;
  if (offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) start = BYTE_ORDER_MARK.length;
  while (end > start && bytes[end - 1] === RETURN) end -= 1;
  const content = bytes.subarray(start, end);
  if (content.includes(RETURN)) {
    let from = start;
    for (let at = bytes.indexOf(RETURN, from); at !== -1 && at < end; at = bytes.indexOf(RETURN, from)) {
      yield* readOddLine(bytes.subarray(from, at), offset + from, line, true);
      from = at + 1;
    }
    yield* readOddLine(bytes.subarray(from, end), offset + from, line, ended);
    return;
  }
  for (const { start: from, end: to, body } of recordsWithin(content)) {
    const span = { offset: offset + start + from, length: to - from, line };
    if (body !== undefined) yield { kind: "record", ...span, body };
    else if (ended || to < content.length) yield { kind: "damage", ...span, bytes: content.subarray(from, to) };
    else {
      yield { kind: "unfinished", ...span };
      if (from === 0) return;
    }
  }
  yield { kind: "odd" };
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
