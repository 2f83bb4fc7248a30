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
    const number = this.#first.push(this.#record.length) - 1;
    for (const _ of record.queries) this.#record.push(number);
    this.#held.push(record);
    this.#bytes += bytes;
    if (this.#bytes <= this.#mostHeld) return;
    this.#file ??= new TemporaryRecords();
    for (const one of this.#held) this.#file.add(one);
    this.#held = [];
  }

  /** The user with these questions, at least one, all of one user. */
  user(questions: readonly number[]): UserData {
    let current: { readonly number: number; readonly record: UserRecord } | undefined;
    let first: UserRecord | undefined;
    const queries = questions.map((question): RawQuery => {
      const number = this.#record[question]!;
      if (number !== current?.number) current = { number, record: this.#file?.at(number) ?? this.#held[number]! };
      first ??= current.record;
      return current.record.queries[question - this.#first[number]!]!; // a record has its questions every time
    });
    return { id: first!.user, profile: first!.profile, queries };
  }
}
