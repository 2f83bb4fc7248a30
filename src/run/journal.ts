import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;

/** Where a record's bytes stand, without the newlines around it. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** One complete record of a journal file, as bytes. */
export interface Frame {
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * An append-only file of JSON records, one per line. Every record is one write of `\n{...}\n`, so a torn record never
 * swallows its neighbour, and a process killed at any moment loses at most the record it was writing.
 */
export class Journal {
  readonly #file: number;
  #size: number;

  /** Opens for appending; a torn tail left by a killed process is cut off first. */
  constructor(path: string) {
    this.#file = openSync(path, "a+");
    let end = 0;
    for (const frame of frames(this.#file)) end = frame.offset + frame.bytes.length + 1;
    this.#size = fstatSync(this.#file).size;
    if (end < this.#size) {
      ftruncateSync(this.#file, end);
      this.#size = end;
    }
  }

  /** Appends one record. Returns where its bytes stand. */
  append(record: object): Place {
    const bytes = Buffer.from(`\n${JSON.stringify(record)}\n`, "utf8");
    writeSync(this.#file, bytes);
    const offset = this.#size + 1;
    this.#size += bytes.length;
    return { offset, length: bytes.length - 2 };
  }

  read({ offset, length }: Place): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    readSync(this.#file, bytes, 0, length, offset);
    return bytes;
  }

  *frames(): Generator<Frame> {
    yield* frames(this.#file);
  }

  /** Forces what was appended to the disk. */
  sync(): void {
    fdatasyncSync(this.#file);
  }

  close(): void {
    fdatasyncSync(this.#file);
    closeSync(this.#file);
  }
}

/** The records of a journal file, in file order. Blank, torn and unreadable lines are skipped. */
export function* readJournal<T>(path: string): Generator<T> {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    for (const { bytes } of frames(file)) {
      const record = parse(bytes);
      if (record !== undefined) yield record as T;
    }
  } finally {
    closeSync(file);
  }
}

// --- internal ---

/** Complete lines that look like a record: they begin with `{`, end with `}` and a newline follows. */
function* frames(file: number): Generator<Frame> {
  let pending: Buffer = Buffer.alloc(0);
  let base = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const got = readSync(file, chunk, 0, CHUNK_BYTES, base + pending.length);
    if (got === 0) return;
    const window = pending.length === 0 ? chunk.subarray(0, got) : Buffer.concat([pending, chunk.subarray(0, got)]);
    let start = 0;
    for (let end = window.indexOf(NEWLINE); end !== -1; end = window.indexOf(NEWLINE, start)) {
      if (window[start] === 0x7b && window[end - 1] === 0x7d)
        yield { offset: base + start, bytes: window.subarray(start, end) };
      start = end + 1;
    }
    pending = window.subarray(start);
    base += start;
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
