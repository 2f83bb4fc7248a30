import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { isRefusal, onFile } from "../disk/file-error.js";

/**
 * A line of a journal is a JSON object whose last member, `"#":"<bytes>:<crc32>"`, is the length and the CRC-32 (8 hex
 * digits) of the record's bytes before that member. Those bytes, without a closing brace, are the body of the line.
 */
export function recordLine(record: object): Buffer {
  const text = JSON.stringify(record);
  if (!text?.startsWith("{")) throw new TypeError("a record is an object");
  return lineOf(Buffer.from(text).subarray(0, -1));
}

/** The line of a body, its line break included. An empty object takes no comma. */
export const lineOf = (body: Buffer): Buffer =>
  Buffer.concat([body, Buffer.from(`${body.length === 1 ? "" : ","}"#":"${checkOf(body)}"}\n`, "latin1")]);

/** Length and CRC-32. */
export const checkOf = (body: Buffer): string => `${body.length}:${crc32(body).toString(16).padStart(8, "0")}`;

export const recordOf = <T>(body: Buffer): T => JSON.parse(`${body.toString("utf8")}}`) as T;

/** The object in a text; undefined where there is none. */
export function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Where a record's line stands, without its line break. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

export interface Frame<T = unknown> extends Span {
  readonly kind: "record";
  /** As an editor counts. */
  readonly line: number;
  readonly body: Buffer;
  readonly record: T;
}

type BareFrame = Omit<Frame, "record">;

/** Bytes that belong to no intact record; `unfinished`: behind the last line break, what a process was writing when it ended. */
interface Rest extends Span {
  readonly kind: "damage" | "unfinished";
  readonly line: number;
  readonly bytes: Buffer;
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
  for (const found of scanLines(path)) if (found.kind === "record") yield { ...found, record: recordOf<T>(found.body) };
}

/** What belongs to no intact record of a journal file, an unfinished last record apart. Changes nothing. */
export function* readDamage(path: string): Generator<SetAside> {
  for (const found of scanLines(path)) if (found.kind === "damage") yield asideOf(path, found);
}

/** All that stands in a journal file, records unparsed; nothing where there is no such file. Throws FileError. */
export function* scanLines(path: string): Generator<BareFrame | Rest> {
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

export const asideOf = (path: string, { line, bytes }: Rest): SetAside => ({
  file: basename(path),
  line,
  text: bytes.toString("latin1"),
});

const NEWLINE = 0x0a;
const OPEN = 0x7b;
const CHUNK_BYTES = 1 << 20;
const CHECK = /,?"#":"(\d{1,12}:[0-9a-f]{8})"\}/g;
const CHECK_AT_END = /,?"#":"(\d{1,12}:[0-9a-f]{8})"\}$/;
/** Bytes of the longest check. */
const MOST_CHECK = 30;

const holds = (body: Buffer, check: string | undefined): boolean => body[0] === OPEN && checkOf(body) === check;

/** The body of a line without its line break, where the line's own check holds. */
export function bodyOf(line: Buffer): Buffer | undefined {
  const start = Math.max(0, line.length - MOST_CHECK);
  const match = CHECK_AT_END.exec(line.toString("latin1", start));
  if (match === null) return undefined;
  const body = line.subarray(0, start + match.index);
  return holds(body, match[1]) ? body : undefined;
}

/**
 * What stands in a line that is not as it was written: line breaks may have been lost. Damage never hides an intact record beside it; only what stands behind the last line break and is no record counts as unfinished.
 */
function* readOddLine(bytes: Buffer, offset: number, line: number, ended: boolean): Generator<BareFrame | Rest> {
  let from = 0;
  const rest = (end: number): Rest => {
    const kind = ended || end < bytes.length ? "damage" : "unfinished";
    return { kind, offset: offset + from, length: end - from, line, bytes: bytes.subarray(from, end) };
  };
  for (const match of bytes.toString("latin1").matchAll(CHECK)) {
    const [check, sum = ""] = match;
    const start = match.index - Number.parseInt(sum, 10);
    const body = bytes.subarray(Math.max(0, start), match.index);
    if (start < from || !holds(body, sum)) continue;
    if (start > from) yield rest(start);
    from = match.index + check.length;
    yield { kind: "record", offset: offset + start, length: from - start, line, body };
  }
  if (from < bytes.length) yield rest(bytes.length);
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
