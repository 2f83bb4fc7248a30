import { Journal, type SetAside } from "./journal.js";
import { recordOf } from "./record-line.js";
import { SpanIndex } from "./span-index.js";

/** A journal of records that begin with `key`, a SHA-256, found by it. Memory holds some fifty bytes a record. */
export class KeyedJournal {
  readonly #journal: Journal;
  #spans = new SpanIndex();

  /** `holds`: which of two records of a key is the one that counts. Throws FileError. */
  constructor(path: string, holds: "first" | "last") {
    this.#journal = new Journal(path, {
      seals: true,
      visitor: () => {
        const spans = new SpanIndex();
        this.#spans = spans;
        return ({ offset, length, body }) => {
          const key = keyOf(body);
          if (key !== undefined) spans.set(key, { offset, length }, holds);
        };
      },
    });
  }

  /** What was damaged in the file and set aside. */
  get damage(): readonly SetAside[] {
    return this.#journal.damage;
  }

  get size(): number {
    return this.#spans.size;
  }

  has(key: string): boolean {
    return this.#spans.has(key);
  }

  /** The records that count, in file order. */
  *records<T extends { readonly key: string }>(): Generator<T> {
    for (const { offset, body } of this.#journal.frames()) {
      const key = keyOf(body);
      if (key !== undefined && this.#spans.get(key)?.offset === offset) yield recordOf<T>(body);
    }
  }

  /** The record of a key. Undefined for an unknown key, and for a record that is damaged by now. */
  read<T>(key: string): T | undefined {
    const span = this.#spans.get(key);
    return span === undefined ? undefined : this.#journal.read<T>(span);
  }

  /** Stands in the file in full when this returns, and counts as the record of its key. Throws FileError. */
  put<T extends { readonly key: string }>(record: T): void {
    this.#spans.set(record.key, this.#journal.append(record));
  }

  close(): void {
    this.#spans = new SpanIndex(); // whoever still holds this would hold them too
    this.#journal.close();
  }
}

const KEY_PREFIX = '{"key":"';
const KEY_LENGTH = 64; // SHA-256 in hex

const keyOf = (body: Buffer): string | undefined =>
  body.toString("latin1", 0, KEY_PREFIX.length) === KEY_PREFIX
    ? body.toString("latin1", KEY_PREFIX.length, KEY_PREFIX.length + KEY_LENGTH)
    : undefined;
