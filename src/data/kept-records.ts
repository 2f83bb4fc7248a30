import { TemporaryRecords } from "../disk/temporary-records.js";
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
  #file: TemporaryRecords<UserRecord> | undefined;
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
      this.#file = new TemporaryRecords();
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
