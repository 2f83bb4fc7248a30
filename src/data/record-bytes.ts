import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UsageError } from "../errors.js";
import type { RecordSpan } from "./source.js";

/** What a data file was when it was first read. */
export interface FileState {
  readonly bytes: number;
  readonly changedMs: number;
}

/** The state of a file that is there. */
export function fileState(file: string): FileState {
  return opened(file, (handle) => stateOf(fstatSync(handle)));
}

/** Throws UsageError where a file is not what it was. */
export function refuseChanged(file: string, then: FileState | undefined, found: FileSize): void {
  const now = stateOf(found);
  if (then?.bytes !== now.bytes || then.changedMs !== now.changedMs)
    throw new UsageError(
      `${file}: was changed while it was in use; the same command begins with it as it is now, a run in another folder (--out)`,
    );
}

/**
 * Reads records of data files again from their spans: what was checked once is not kept in memory. Reads ahead. Throws
 * UsageError where a file has changed since.
 */
export class RecordBytes {
  readonly #states: ReadonlyMap<string, FileState>;
  #file = "";
  #start = 0;
  #window: Buffer = Buffer.alloc(0);

  constructor(states: ReadonlyMap<string, FileState>) {
    this.#states = states;
  }

  /** The JSON value of a record. */
  value({ file, offset, length }: RecordSpan): unknown {
    const isHeld = file === this.#file && offset >= this.#start && offset + length <= this.#start + this.#window.length;
    if (!isHeld) this.#read(file, offset, this.#isNear(file, offset) ? Math.max(length, AHEAD_BYTES) : length);
    const from = offset - this.#start;
    return JSON.parse(this.#window.toString("utf8", from, from + length));
  }

  /** Whether records seem to be asked for in file order. */
  #isNear(file: string, offset: number): boolean {
    const end = this.#start + this.#window.length;
    return file === this.#file && offset >= this.#start && offset < end + AHEAD_BYTES;
  }

  #read(file: string, offset: number, bytes: number): void {
    const room = this.#window.buffer.byteLength >= bytes ? Buffer.from(this.#window.buffer) : Buffer.alloc(bytes);
    const got = opened(file, (handle) => {
      refuseChanged(file, this.#states.get(file), fstatSync(handle));
      return readSync(handle, room, 0, bytes, offset);
    });
    this.#file = file;
    this.#start = offset;
    this.#window = room.subarray(0, got);
  }
}

/** What of a file's facts tells that it is another. */
interface FileSize {
  readonly size: number;
  readonly mtimeMs: number;
}

const AHEAD_BYTES = 1 << 18;

const stateOf = ({ size, mtimeMs }: FileSize): FileState => ({ bytes: size, changedMs: mtimeMs });

function opened<T>(file: string, work: (handle: number) => T): T {
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch (error) {
    throw new UsageError(`${file}: cannot be read any more (${error instanceof Error ? error.message : error})`);
  }
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}
