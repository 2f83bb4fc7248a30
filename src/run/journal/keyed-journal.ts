import { closeSync, openSync } from "node:fs";
import { onFile } from "../../disk/file-error.js";
import { grown, HashIndex } from "../../text/hash-index.js";
import { framedRecords, Journal, type SetAside } from "./journal.js";
import { bodyAt, SAFE, type Span } from "./read-journal.js";
import { recordOf } from "./record-line.js";

interface Keyed {
  /** A SHA-256. */
  readonly key: string;
}

/** A journal of records found by their key. Memory holds some fifty bytes a record. */
export class KeyedJournal {
  readonly #journal: Journal<Keyed>;
  #spans = new SpanIndex();

  /** `holds`: which of two records of a key is the one that counts. Throws FileError. */
  constructor(path: string, holds: "first" | "last") {
    this.#journal = new Journal<Keyed>(path, {
      visitor: () => {
        const spans = new SpanIndex();
        this.#spans = spans;
        return ({ offset, length, record }) => spans.set(record.key, { offset, length }, holds);
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
  *records<T extends Keyed>(): Generator<T> {
    for (const { offset, record } of framedRecords<T>(this.#journal.path))
      if (this.#spans.get(record.key)?.offset === offset) yield record;
  }

  /** The record of a key. Undefined for an unknown key, and for a record that is damaged by now. */
  read<T>(key: string): T | undefined {
    const span = this.#spans.get(key);
    return span === undefined ? undefined : this.#journal.read<T>(span);
  }

  /** Stands in the file in full when this returns, and counts as the record of its key. Throws FileError. */
  put<T extends Keyed>(record: T): void {
    this.#spans.set(record.key, this.#journal.append(record));
  }

  close(): void {
    this.#spans = new SpanIndex(); // whoever still holds this would hold them too
    this.#journal.close();
  }
}

/** A record that stands under a key, by its place in the file. */
export interface PlacedRecord {
  readonly key: string;
  /** As an editor counts. */
  readonly line: number;
}

/** The records of a journal by their `key`, for reading only: nothing is mended and nothing added. The first of a key holds. */
export class KeyedRecords<T extends Keyed> {
  /** Further records of a key that has one. */
  readonly doubled: readonly PlacedRecord[];
  readonly #path: string;
  readonly #places = new Map<string, Span & { readonly line: number }>();
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
    const doubled: PlacedRecord[] = [];
    for (const { offset, length, line, record } of framedRecords<T>(path)) {
      const { key } = record;
      if (this.#places.has(key)) doubled.push({ key, line });
      else this.#places.set(key, { offset, length, line });
    }
    this.doubled = doubled;
  }

  get size(): number {
    return this.#places.size;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** Undefined where there is none, or its record is not whole. Throws FileError. */
  get(key: string): T | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#file ??= onFile(this.#path, SAFE, () => openSync(this.#path, "r"));
    const body = bodyAt(this.#file, this.#path, place);
    return body === undefined ? undefined : recordOf<T>(body);
  }

  /** In file order. */
  places(): PlacedRecord[] {
    return [...this.#places].map(([key, { line }]) => ({ key, line }));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Where the record of each key stands, without an object a key. */
export class SpanIndex {
  readonly #keys = new HashIndex();
  #offsets = new Float64Array(FIRST_ROOM);
  #lengths = new Uint32Array(FIRST_ROOM);

  get size(): number {
    return this.#keys.size;
  }

  get(key: string): Span | undefined {
    const number = this.#keys.find(key);
    return number < 0 ? undefined : { offset: this.#offsets[number]!, length: this.#lengths[number]! };
  }

  has(key: string): boolean {
    return this.#keys.find(key) >= 0;
  }

  /** In the order in which the keys came first. */
  *spans(): Generator<Span> {
    for (let number = 0; number < this.size; number++)
      yield { offset: this.#offsets[number]!, length: this.#lengths[number]! };
  }

  /** The span of a key from now on; with `first` only of a key that is new. */
  set(key: string, { offset, length }: Span, holds: "first" | "last" = "last"): void {
    const before = this.size;
    const number = this.#keys.add(key);
    if (holds === "first" && number < before) return;
    if (number >= this.#offsets.length) {
      this.#offsets = grown(this.#offsets, 2 * this.#offsets.length);
      this.#lengths = grown(this.#lengths, 2 * this.#lengths.length);
    }
    this.#offsets[number] = offset;
    this.#lengths[number] = length;
  }
}

const FIRST_ROOM = 64;
