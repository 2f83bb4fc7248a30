import { isAscii, isUtf8 } from "node:buffer";
import { createHash, hash as hashOf } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { UsageError } from "../errors.js";
import { fileTrouble } from "../text/file-trouble.js";
import {
  afterMark,
  afterSpace,
  arrayOfField,
  CLOSE_ARRAY,
  type JsonRecord,
  jsonSplitter,
  OPEN_ARRAY,
  OPEN_OBJECT,
  type SplitSettings,
} from "./json-split.js";

/** What one pass over a file found. */
export interface FileFacts {
  /** The path as given. */
  readonly file: string;
  readonly bytes: number;
  /** Of the whole file, hex; empty where it was not to be hashed. */
  readonly sha256: string;
  readonly records: number;
  /** The value around the array: `{task, golds: []}`, or `[]`. */
  readonly around: unknown;
}

interface ReadSettings extends Omit<SplitSettings, "file"> {
  /** Bytes per read. Default 1 MB. */
  readonly chunkBytes?: number;
  /** Whether the file is hashed. Default true. */
  readonly hashed?: boolean;
  /** The byte behind an element of another array of the same object, in front of `field`: reading begins there. Default 0. */
  readonly behind?: number;
  /**
   * A file of at most so many bytes is read and parsed at once, which is twice as fast. Its records then have no places: offset 0,
   * and their mean length. Default 0.
   */
  readonly atOnce?: number | undefined;
}

/** What is read at once where nobody needs places: a few times that fits in memory. */
export const AT_ONCE_BYTES = 16 * 2 ** 20;

/**
 * Streams the records of a JSON array in a file, in order, through `visit`. Holds one chunk and one record, whatever the size,
 * where it does not read `atOnce`.
 * Throws UsageError naming file, record and byte where the file is missing, cut, not JSON, not UTF-8 or not an array.
 */
export async function readJsonArray(
  file: string,
  visit: (record: JsonRecord) => void | Promise<void>,
  settings: ReadSettings = {},
): Promise<FileFacts> {
  const handle = await openFile(file);
  try {
    const { behind } = settings;
    const found = await readAtOnce(file, handle.fd, visit, settings);
    if (found !== undefined) return found;
    const splitter = jsonSplitter({ ...settings, file });
    if (behind !== undefined) splitter.feed(BEFORE);
    const shift = behind === undefined ? 0 : behind - BEFORE.length;
    const hash = settings.hashed === false ? undefined : createHash("sha256");
    let bytes = 0;
    let records = 0;
    for await (const piece of pieces(handle, behind, settings.chunkBytes ?? 2 ** 20)) {
      bytes += piece.length;
      hash?.update(piece);
      for (const record of splitter.feed(piece)) {
        records++;
        const pending = visit(shift === 0 ? record : { ...record, offset: record.offset + shift });
        if (pending !== undefined) await pending;
      }
    }
    return { file, bytes, records, around: splitter.end(), sha256: hash?.digest("hex") ?? "" };
  } finally {
    await handle.close();
  }
}

/** SHA-256 of a whole file, hex. */
export function hashOfFile(file: string): string {
  const hash = createHash("sha256");
  const handle = openSync(file, "r");
  try {
    const chunk = Buffer.allocUnsafe(2 ** 18);
    for (let got = readSync(handle, chunk); got > 0; got = readSync(handle, chunk)) hash.update(chunk.subarray(0, got));
  } finally {
    closeSync(handle);
  }
  return hash.digest("hex");
}

/** Stands for what comes before the byte where reading begins. */
const BEFORE = Buffer.from('{"":[0');

/**
 * The file from a byte on, or on from where it is. A piece is gone when another is asked for. While one is looked at, the next is
 * read, of a file on a disk alone: a pipe may give nothing for long, and what is wrong with the piece at hand is told at once.
 */
async function* pieces(handle: FileHandle, from: number | undefined, size: number): AsyncGenerator<Buffer> {
  let [chunk, other] = [Buffer.allocUnsafe(size), Buffer.allocUnsafe(size)];
  const isOnDisk = (await handle.stat()).isFile();
  let position = from ?? null;
  const read = () => {
    const underWay = handle.read(chunk, 0, size, position);
    underWay.catch(() => undefined); // thrown where it is waited for
    return underWay;
  };
  let reading: ReturnType<typeof read> | undefined;
  try {
    for (;;) {
      const { bytesRead } = await (reading ?? read());
      if (bytesRead === 0) return;
      const piece = chunk.subarray(0, bytesRead);
      [chunk, other] = [other, chunk];
      if (position !== null) position += bytesRead;
      if (isOnDisk) reading = read();
      yield piece;
    }
  } finally {
    await Promise.allSettled([reading]); // before the file is closed
  }
}

/** Undefined of a file that is larger than what is read at once, or odd in any way. The position in it stays where it is. */
async function readAtOnce(
  file: string,
  handle: number,
  visit: (record: JsonRecord) => void | Promise<void>,
  { atOnce = 0, field }: ReadSettings,
): Promise<FileFacts | undefined> {
  const bytes = wholeFile(handle, atOnce);
  const whole = bytes && arrayIn(bytes, field);
  if (bytes === undefined || whole === undefined) return undefined;
  const { values, around } = whole;
  const facts = { file, bytes: bytes.length, records: values.length, around, sha256: hashOf("sha256", bytes) };
  const length = Math.floor(bytes.length / Math.max(1, values.length));
  for (const [i, value] of values.entries()) {
    const pending = visit({ number: i + 1, offset: 0, length, value });
    if (pending !== undefined) await pending;
  }
  return facts;
}

function wholeFile(handle: number, most: number): Buffer | undefined {
  const stat = most === 0 ? undefined : fstatSync(handle);
  if (stat?.isFile() !== true || stat.size > most) return undefined;
  const bytes = Buffer.allocUnsafeSlow(stat.size + 1); // one more, to see that no more has come
  return readSync(handle, bytes, 0, bytes.length, 0) === stat.size ? bytes.subarray(0, stat.size) : undefined;
}

async function openFile(file: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(file, "r");
  } catch (error) {
    throw new UsageError(`${file}: ${fileTrouble(error)}; check the path`);
  }
  if ((await handle.stat()).isDirectory()) {
    await handle.close();
    throw new UsageError(`${file}: is a folder; name a file in it`);
  }
  return handle;
}

/** A JSON array with what stands around it, as `jsonSplitter` finds both. */
interface WholeArray {
  readonly values: readonly unknown[];
  readonly around: unknown;
}

/**
 * The array of a whole text, parsed in one go. The bracket that opens it is found as the splitter finds it; that the last bracket
 * of the text closes it, JSON.parse tells. Undefined where the text is not right in any way: `jsonSplitter` says in which.
 */
export function arrayIn(bytes: Buffer, field: string | undefined): WholeArray | undefined {
  const ascii = isAscii(bytes);
  if (!ascii && !isUtf8(bytes)) return undefined;
  const textOf = (from: number, to: number): string => bytes.toString(ascii ? "latin1" : "utf8", from, to);
  const head = bytes.subarray(0, HEAD);
  const start = afterMark(head);
  const first = afterSpace(head, start);
  const opening = head[first] === OPEN_OBJECT && field !== undefined ? arrayOfField(head, first, field) : first;
  const close = bytes.lastIndexOf(CLOSE_ARRAY);
  if (typeof opening !== "number" || bytes[opening] !== OPEN_ARRAY || close <= opening) return undefined;
  try {
    const around: unknown = JSON.parse(textOf(start, opening + 1) + textOf(close, bytes.length));
    const values: unknown = JSON.parse(textOf(opening, close + 1));
    return Array.isArray(values) ? { values, around } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

const HEAD = 2 ** 16;
