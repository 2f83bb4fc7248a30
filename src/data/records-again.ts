import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UsageError } from "../errors.js";
import { messageOf } from "../text/file-trouble.js";
import type { RawQuery, UserData } from "../types/index.js";
import { unpacked } from "./parquet.js";
import type { GoldAt, RecordSpan, UserRecord } from "./source.js";

/** Gives a record that was shown before. */
export type ReadAgain = (span: RecordSpan, golds: GoldAt) => UserRecord;

/** Where the records of selected users stand, and their golds: the texts themselves only as long as they are few. */
export class KeptRecords {
  readonly #spans: RecordSpan[] = [];
  /** By record, its first question. */
  readonly #first: number[] = [];
  /** By question, its record and its gold. */
  readonly #record: number[] = [];
  readonly #golds: (string | undefined)[] = [];
  #held: UserRecord[] | undefined = [];
  readonly #mostHeld: number;
  /** What the records take in their files. */
  bytes = 0;

  /** Records up to `mostHeld` bytes in their files are held, of more their spans. */
  constructor(mostHeld: number) {
    this.#mostHeld = mostHeld;
  }

  /** Numbers the record's questions on from those before. */
  add(span: RecordSpan, record: UserRecord): void {
    this.#first.push(this.#golds.length);
    for (const { gold } of record.queries) {
      this.#record.push(this.#spans.length);
      this.#golds.push(gold);
    }
    this.#spans.push(span);
    this.bytes += span.length;
    if (this.bytes > this.#mostHeld) this.#held = undefined;
    this.#held?.push(record);
  }

  /** The user with these questions, at least one, all of one user. */
  user(questions: readonly number[], read: ReadAgain): UserData {
    let current = -1;
    let first: UserRecord | undefined;
    let record: UserRecord | undefined;
    const queries: RawQuery[] = [];
    for (const question of questions) {
      const wanted = this.#record[question]!;
      const start = this.#first[wanted]!;
      if (wanted !== current) {
        record = this.#held?.[wanted] ?? read(this.#spans[wanted]!, (query) => this.#golds[start + query]);
        current = wanted;
      }
      first ??= record;
      queries.push(record!.queries[question - start]!); // a record has its questions every time
    }
    return { id: first!.user, profile: first!.profile, queries };
  }
}

/** What a data file was when it was first read. */
interface FileState {
  readonly bytes: number;
  readonly changedMs: number;
}

/** The state of a file that is there. */
export const fileState = (file: string): FileState => opened(file, stateOf);

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

  /** The value of a record, which is JSON unless `read` reads something else. */
  value({ file, offset, length, packed }: RecordSpan, read: (text: string) => unknown = JSON.parse): unknown {
    if (packed !== undefined) return unpacked(packed);
    const isHeld = file === this.#file && offset >= this.#start && offset + length <= this.#start + this.#window.length;
    if (!isHeld) this.#read(file, offset, this.#isNear(file, offset) ? Math.max(length, AHEAD_BYTES) : length);
    const from = offset - this.#start;
    return read(this.#window.toString("utf8", from, from + length));
  }

  /** Whether records seem to be asked for in file order. */
  #isNear(file: string, offset: number): boolean {
    const end = this.#start + this.#window.length;
    return file === this.#file && offset >= this.#start && offset < end + AHEAD_BYTES;
  }

  #read(file: string, offset: number, bytes: number): void {
    const room = this.#window.buffer.byteLength >= bytes ? Buffer.from(this.#window.buffer) : Buffer.alloc(bytes);
    const got = opened(file, (handle) => {
      const [then, now] = [this.#states.get(file), stateOf(handle)];
      if (then?.bytes !== now.bytes || then.changedMs !== now.changedMs)
        throw new UsageError(
          `${file}: was changed while it was in use; the same command begins with it as it is now, a run in another folder (--out)`,
        );
      return readSync(handle, room, 0, bytes, offset);
    });
    this.#file = file;
    this.#start = offset;
    this.#window = room.subarray(0, got);
  }
}

const AHEAD_BYTES = 1 << 18;

function stateOf(handle: number): FileState {
  const { size, mtimeMs } = fstatSync(handle);
  return { bytes: size, changedMs: mtimeMs };
}

function opened<T>(file: string, work: (handle: number) => T): T {
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch (error) {
    throw new UsageError(`${file}: cannot be read any more (${messageOf(error)})`);
  }
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}
