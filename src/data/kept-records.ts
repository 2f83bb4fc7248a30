import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../errors.js";
import { messageOf } from "../text/file-trouble.js";
import type { RawQuery, UserData } from "../types/index.js";
import type { UserRecord } from "./source.js";

/** The records of selected users: in memory while they are few, of more in a temporary file, from which each is read when asked for. */
export class KeptRecords {
  /** By record, its first question. */
  readonly #first: number[] = [];
  /** By question, its record. */
  readonly #record: number[] = [];
  readonly #mostHeld: number;
  #held: UserRecord[] = [];
  #file: RecordFile | undefined;
  #bytes = 0;

  /** Records up to `mostHeld` bytes in their files are held. */
  constructor(mostHeld: number) {
    this.#mostHeld = mostHeld;
  }

  get isHeld(): boolean {
    return this.#file === undefined;
  }

  /** Numbers the record's questions on from those before. */
  add(record: UserRecord, bytes: number): void {
    this.#first.push(this.#record.length);
    const number = this.#first.length - 1;
    for (const _ of record.queries) this.#record.push(number);
    this.#bytes += bytes;
    if (this.#file === undefined && this.#bytes > this.#mostHeld) {
      this.#file = new RecordFile();
      for (const one of this.#held) this.#file.add(one);
      this.#held = [];
    }
    if (this.#file === undefined) this.#held.push(record);
    else this.#file.add(record);
  }

  /** The user with these questions, at least one, all of one user. */
  user(questions: readonly number[]): UserData {
    let current = -1;
    let first: UserRecord | undefined;
    let record: UserRecord | undefined;
    const queries: RawQuery[] = [];
    for (const question of questions) {
      const wanted = this.#record[question]!;
      if (wanted !== current) record = this.#file?.at(wanted) ?? this.#held[wanted]!;
      current = wanted;
      first ??= record;
      queries.push(record!.queries[question - this.#first[wanted]!]!); // a record has its questions every time
    }
    return { id: first!.user, profile: first!.profile, queries };
  }
}

/** Records in a temporary file, which has no name once it is open and goes with the process. Throws UsageError where there is no room. */
class RecordFile {
  readonly #handle: number;
  /** By record, where it begins; and where the last one ends. */
  readonly #starts: number[] = [0];

  constructor() {
    const path = join(tmpdir(), `lamp-eval-${randomUUID()}.jsonl`);
    this.#handle = withSpace(() => openSync(path, "wx+", 0o600));
    rmSync(path);
    closing.register(this, this.#handle);
  }

  add(record: UserRecord): void {
    const start = this.#starts.at(-1)!;
    const bytes = Buffer.from(JSON.stringify(record));
    for (let at = 0; at < bytes.length; )
      at += withSpace(() => writeSync(this.#handle, bytes, at, bytes.length - at, start + at));
    this.#starts.push(start + bytes.length);
  }

  at(number: number): UserRecord {
    const [start, end] = [this.#starts[number]!, this.#starts[number + 1]!];
    const bytes = Buffer.allocUnsafe(end - start);
    for (let at = 0; at < bytes.length; ) at += readSync(this.#handle, bytes, at, bytes.length - at, start + at);
    return JSON.parse(bytes.toString()) as UserRecord; // as `add` wrote it
  }
}

const closing = new FinalizationRegistry<number>(closeSync);

function withSpace<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${tmpdir()}: data above 16 MB need room for a copy here (${messageOf(error)}); set TMPDIR`);
  }
}
