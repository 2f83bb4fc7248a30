import type { RawQuery, UserData } from "../types.js";
import { Column, PackedTexts } from "./columns.js";
import type { GoldAt, RecordSpan, UserRecord } from "./source.js";

/** Gives a record that was shown before. */
export type ReadAgain = (span: RecordSpan, golds: GoldAt) => UserRecord;

/** Where the records of selected users stand, and their golds: packed. */
export class KeptRecords {
  readonly #files: string[] = [];
  readonly #file = new Column();
  readonly #number = new Column();
  /** An offset is its high part * 2^32 + its low part. */
  readonly #offsetHigh = new Column();
  readonly #offsetLow = new Column();
  readonly #length = new Column();
  /** By record, its first question. */
  readonly #first = new Column();
  /** By question: its record, and the number of its gold + 1 (0: none). */
  readonly #record = new Column();
  readonly #gold = new Column();
  readonly #golds = new PackedTexts();
  #bytes = 0;
  /** The records themselves, as long as they are few. */
  #held: UserRecord[] | undefined = [];
  readonly #mostHeld: number;

  /** Records up to `mostHeld` bytes in their files are held, of more their spans. */
  constructor(mostHeld: number) {
    this.#mostHeld = mostHeld;
  }

  /** What the records take in their files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Numbers the record's questions on from those before. */
  add({ file, number, offset, length }: RecordSpan, added: UserRecord): void {
    const known = this.#files.indexOf(file);
    const record = this.#number.length;
    this.#file.push(known < 0 ? this.#files.push(file) - 1 : known);
    this.#number.push(number);
    this.#offsetHigh.push(Math.floor(offset / TWO_32));
    this.#offsetLow.push(offset % TWO_32);
    this.#length.push(length);
    this.#first.push(this.#record.length);
    this.#bytes += length;
    if (this.#bytes > this.#mostHeld) this.#held = undefined;
    this.#held?.push(added);
    for (const { gold } of added.queries) {
      this.#record.push(record);
      this.#gold.push(gold === undefined ? 0 : this.#golds.add(gold) + 1);
    }
  }

  /** The user with these questions, at least one, all of one user. */
  user(questions: Uint32Array, read: ReadAgain): UserData {
    let current = -1;
    let first: UserRecord | undefined;
    let record: UserRecord | undefined;
    const queries: RawQuery[] = [];
    for (const question of questions) {
      const wanted = this.#record.at(question);
      if (wanted !== current) {
        record = this.#held?.[wanted] ?? read(this.#span(wanted), this.#goldsOf(wanted));
        current = wanted;
      }
      first ??= record;
      queries.push(record!.queries[question - this.#first.at(wanted)]!); // a record has its questions every time
    }
    return { id: first!.user, profile: first!.profile, queries };
  }

  #span(record: number): RecordSpan {
    return {
      file: this.#files[this.#file.at(record)]!,
      number: this.#number.at(record),
      offset: this.#offsetHigh.at(record) * TWO_32 + this.#offsetLow.at(record),
      length: this.#length.at(record),
    };
  }

  #goldsOf(record: number): GoldAt {
    const first = this.#first.at(record);
    return (query) => {
      const gold = this.#gold.at(first + query);
      return gold === 0 ? undefined : this.#golds.at(gold - 1);
    };
  }
}

const TWO_32 = 2 ** 32;
