import { crc32 } from "node:zlib";
import type { Entry, Got } from "./entry.js";

/** Where an entry's line stands in its file, in bytes, without the line break. */
export interface Span {
  readonly at: number;
  readonly length: number;
}

/** What a log's state needs of an entry: of an answer not what it says. */
export type Head = Exclude<Entry, Got> | Omit<Got, "value" | "request">;

/** A line of a log: the entry as JSON whose last member, `#`, is the CRC-32 (hex) of the bytes before it. An answer's value stands behind all that is said of it. */
export function lineOf(entry: Entry): Buffer {
  const body = JSON.stringify(entry.t === "got" ? valueLast(entry) : entry).slice(0, -1);
  return Buffer.from(`${body},"#":"${crc32(body).toString(16)}"}\n`);
}

const valueLast = ({ value, request, ...head }: Got) => ({
  ...head,
  value,
  ...(request === undefined ? {} : { request }),
});

/** Returns the entry of a line without its break; undefined where the line is not as it was written. */
export function entryOf(line: Buffer): Entry | undefined {
  const body = bodyOf(line);
  return body && parsed<Entry>(body.toString("utf8"));
}

/** The same without what an answer says, which is long. */
export function headOf(line: Buffer): Head | undefined {
  const body = bodyOf(line);
  if (body === undefined) return undefined;
  const start = body.toString("latin1", 0, LONGEST_HEAD);
  const end = start.startsWith(GOT) ? start.indexOf(VALUE) : -1;
  return parsed<Head>(end === -1 ? body.toString("utf8") : body.toString("utf8", 0, end));
}

/** The check says that we wrote it, unless somebody made it up: a pack comes from others. */
function parsed<T extends Head>(body: string): T | undefined {
  try {
    return JSON.parse(`${body}}`) as T;
  } catch {
    return undefined;
  }
}

const GOT = '{"t":"got",';
const VALUE = ',"value":';
/** Bytes in which what is said of an answer ends, unless a run has a very long name. */
const LONGEST_HEAD = 512;

/** The bytes before the check; undefined where they are not those that were written. */
function bodyOf(line: Buffer): Buffer | undefined {
  const tail = CHECK.exec(line.toString("latin1", Math.max(0, line.length - LONGEST_CHECK)));
  if (tail === null) return undefined;
  const body = line.subarray(0, line.length - tail[0].length);
  return crc32(body).toString(16) === tail[1] ? body : undefined;
}

const CHECK = /,"#":"([0-9a-f]{1,8})"\}$/;
/** Bytes of the longest check. */
const LONGEST_CHECK = 17;

/** Reads `length` bytes at most from `at`; fewer at the end. */
export type Reader = (at: number, length: number) => Buffer;

interface Line extends Span {
  readonly text: Buffer;
  /** False for what stands behind the last line break. */
  readonly whole: boolean;
}

/** The lines of a file, read in chunks. */
export function* linesOf(read: Reader): Generator<Line> {
  let [rest, at]: [Buffer, number] = [Buffer.alloc(0), 0];
  for (;;) {
    const chunk = read(at + rest.length, CHUNK_BYTES);
    if (chunk.length === 0) break;
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, from)) {
      yield { text: rest.subarray(from, end), at: at + from, length: end - from, whole: true };
      from = end + 1;
    }
    [rest, at] = [rest.subarray(from), at + from];
  }
  if (rest.length > 0) yield { text: rest, at, length: rest.length, whole: false };
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;
