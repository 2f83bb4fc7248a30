import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { UsageError } from "../errors.js";
import { fileTrouble, messageOf, withoutMark } from "../text/file-trouble.js";
import { type JsonRecord, jsonSplitter, type SplitSettings } from "./json-split.js";

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
}

/**
 * Streams the records of a JSON array in a file, in order, through `visit`. Holds one chunk and one record, whatever the size.
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

/**
 * The same of JSON Lines: one value a line, blank lines passed over; a record's number is its line. Throws UsageError naming file and
 * line where the text is not JSON, not UTF-8, or a line has more than 64 MB.
 */
export async function readJsonLines(
  file: string,
  visit: (record: JsonRecord) => void | Promise<void>,
): Promise<FileFacts> {
  const handle = await openFile(file);
  try {
    const hash = createHash("sha256");
    const kept: Buffer[] = [];
    let [bytes, records, number, start, length] = [0, 0, 0, 0, 0];
    const ended = async (): Promise<void> => {
      number++;
      const line = Buffer.concat(kept);
      const text = number === 1 ? withoutMark(line.toString("utf8")) : line.toString("utf8");
      kept.length = 0;
      if (text.trim() !== "") {
        if (!isUtf8(line))
          throw new UsageError(`${file}: line ${number}: this is not UTF-8 text; save the file as UTF-8`);
        const mark = number === 1 ? line.length - Buffer.byteLength(text) : 0;
        records++;
        await visit({ number, offset: start + mark, length: length - mark, value: lineValue(text, file, number) });
      }
      [start, length] = [start + length + 1, 0];
    };
    for await (const piece of pieces(handle, undefined, 2 ** 20)) {
      bytes += piece.length;
      hash.update(piece);
      for (let at = 0; at < piece.length; ) {
        const end = piece.indexOf(LINE_FEED, at);
        const part = piece.subarray(at, end < 0 ? piece.length : end);
        kept.push(Buffer.from(part));
        length += part.length;
        if (length > MOST_LINE_BYTES)
          throw new UsageError(`${file}: line ${number + 1}: more than ${MOST_LINE_BYTES} bytes; cut its texts`);
        if (end >= 0) await ended();
        at = end < 0 ? piece.length : end + 1;
      }
    }
    if (length > 0) await ended();
    return { file, bytes, records, around: [], sha256: hash.digest("hex") };
  } finally {
    await handle.close();
  }
}

function lineValue(text: string, file: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: line ${number}: no JSON (${messageOf(error)}); each line is one object in braces`);
  }
}

const LINE_FEED = 0x0a;
const MOST_LINE_BYTES = 64 * 2 ** 20;

/** SHA-256 of a whole file, hex. Throws UsageError where it cannot be read. */
export function hashOfFile(file: string): string {
  const hash = createHash("sha256");
  let handle: number | undefined;
  try {
    handle = openSync(file, "r");
    const chunk = Buffer.allocUnsafe(2 ** 18);
    for (let got = readSync(handle, chunk); got > 0; got = readSync(handle, chunk)) hash.update(chunk.subarray(0, got));
  } catch (error) {
    throw new UsageError(`${file}: ${fileTrouble(error)}; check the path`);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
  return hash.digest("hex");
}

/** Stands for what comes before the byte where reading begins. */
const BEFORE = Buffer.from('{"":[0');

/** The file from a byte on, or on from where it is. A piece is gone when another is asked for. */
async function* pieces(handle: FileHandle, from: number | undefined, size: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(size);
  let position = from ?? null;
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, size, position);
    if (bytesRead === 0) return;
    if (position !== null) position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
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
