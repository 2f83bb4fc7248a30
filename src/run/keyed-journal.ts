import { Journal, type SetAside } from "./journal.js";
import type { Span } from "./scan.js";

/** A journal of records that begin with `key`, a SHA-256, found by it. Memory holds keys and offsets only. */
export class KeyedJournal {
  readonly #journal: Journal;
  readonly #spans = new Map<string, Span>();

  /** `holds`: which of two records of a key is the one that counts. Throws FileError. */
  constructor(path: string, holds: "first" | "last") {
    this.#journal = new Journal(path);
    for (const { offset, length, body } of this.#journal.frames()) {
      if (body.toString("latin1", 0, KEY_PREFIX.length) !== KEY_PREFIX) continue;
      const key = body.toString("latin1", KEY_PREFIX.length, KEY_PREFIX.length + KEY_LENGTH);
      if (holds === "last" || !this.#spans.has(key)) this.#spans.set(key, { offset, length });
    }
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

  keys(): IterableIterator<string> {
    return this.#spans.keys();
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
    this.#journal.close();
  }
}

// --- internal ---

const KEY_PREFIX = '{"key":"';
const KEY_LENGTH = 64; // SHA-256 in hex
