import type { ModelReply, ModelRequest } from "../types/index.js";
import { framedRecords, Journal, readJournal, type SetAside } from "./journal.js";
import { recordAt, type Span } from "./record-lines.js";

interface Keyed {
  /** A SHA-256. */
  readonly key: string;
}

/** A journal of records found by their key. Memory holds some fifty bytes a record; records are read when asked for. */
export class KeyedJournal<T extends Keyed = Keyed> {
  readonly #journal: Journal<T>;
  #spans = new Map<string, Span>();

  /** `holds`: which of two records of a key is the one that counts. Throws FileError. */
  constructor(path: string, holds: "first" | "last") {
    this.#journal = new Journal<T>(path, {
      visit: ({ offset, length, record: { key } }) => {
        if (holds === "last" || !this.#spans.has(key)) this.#spans.set(key, { offset, length });
      },
    });
  }

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
  *records(): Generator<T> {
    for (const { offset, record } of framedRecords<T>(this.#journal.path))
      if (this.#spans.get(record.key)?.offset === offset) yield record;
  }

  /** The record of a key. Undefined for an unknown key, and for a record that is damaged by now. */
  record(key: string): T | undefined {
    const span = this.#spans.get(key);
    return span === undefined ? undefined : this.#journal.read<T>(span);
  }

  /** Stands in the file in full when this returns, and counts as the record of its key. Throws FileError. */
  add(record: T): void {
    this.#spans.set(record.key, this.#journal.append(record));
  }

  close(): void {
    this.#spans = new Map(); // whoever still holds this would hold them too
    this.#journal.close();
  }
}

export interface StoredCall extends Keyed {
  readonly key: string;
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/**
 * The only saved intermediate work of a run: every reply by the content id of its whole request. A rerun answers from
 * here, so a killed run pays for nothing twice.
 */
export class ResponseStore extends KeyedJournal<StoredCall> {
  constructor(path: string) {
    super(path, "first");
  }

  get(key: string): ModelReply | undefined {
    return this.record(key)?.reply;
  }

  /** Stands in the file in full when this returns. Throws FileError. */
  put(key: string, request: ModelRequest, reply: ModelReply): void {
    if (!this.has(key)) this.add({ key, reply, request });
  }
}

export interface StoredVector extends Keyed {
  readonly dimensions: number;
  /** 32-bit floats, little-endian, as base64. */
  readonly floats: string;
}

/** Vectors by the content id of encoder and text. A rerun embeds nothing that stands here. */
export class FileVectors extends KeyedJournal<StoredVector> {
  /** Of two records of a key the later holds: it was put because the earlier is damaged. */
  constructor(path: string) {
    super(path, "last");
  }

  /** Bit for bit as it was put. Undefined for an unknown key and for a damaged record. */
  get(key: string): Float32Array | undefined {
    const record = this.record(key);
    return record === undefined ? undefined : vectorOf(record);
  }

  /** The first vector of a key stays, unless its record is damaged. */
  put(key: string, vector: Float32Array): void {
    if (this.get(key) === undefined) this.add(vectorRecord(key, vector));
  }
}

export function vectorRecord(key: string, vector: Float32Array): StoredVector {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4);
  return { key, dimensions: vector.length, floats: bytes.toString("base64") };
}

/** The vector of a record. Undefined where its length is not what the record says. */
export function vectorOf({ dimensions, floats }: StoredVector): Float32Array | undefined {
  if (typeof floats !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(floats)) return undefined;
  const bytes = Buffer.from(floats, "base64");
  if (bytes.length !== dimensions * 4) return undefined;
  return Float32Array.from({ length: dimensions }, (_, i) => bytes.readFloatLE(i * 4));
}

/** What a run's searches outside (Wikipedia) gave, each once, so that the run can be replayed without them. */
export class SearchLog {
  readonly #journal: Journal;
  readonly #known = new Set<string>();

  constructor(path: string) {
    for (const record of readJournal<object>(path)) this.#known.add(JSON.stringify(record));
    this.#journal = new Journal(path);
  }

  get damage(): readonly SetAside[] {
    return this.#journal.damage;
  }

  /** What earlier processes and this one have put there. */
  *found(): Generator<object> {
    for (const text of this.#known) yield JSON.parse(text);
  }

  put(search: object): void {
    const text = JSON.stringify(search);
    if (this.#known.has(text)) return;
    this.#known.add(text);
    this.#journal.append(search);
  }

  close(): void {
    this.#journal.close();
  }
}

/**
 * The records of a journal by a key, for reading only: nothing is mended and nothing added. Memory holds where they stand, each is read
 * when it is asked for.
 */
export class KeyedRecords<T> {
  readonly #path: string;
  readonly #spans = new Map<string, Span>();

  /** `holds`: which of several records of a key. Throws FileError. */
  constructor(path: string, keyOf: (record: T) => string, holds: "first" | "last" = "first") {
    this.#path = path;
    for (const { record, offset, length } of framedRecords<T>(path)) {
      const key = keyOf(record);
      if (holds === "last" || !this.#spans.has(key)) this.#spans.set(key, { offset, length });
    }
  }

  get size(): number {
    return this.#spans.size;
  }

  keys(): Iterable<string> {
    return this.#spans.keys();
  }

  /** Undefined where there is none, or its record is not whole by now. Throws FileError. */
  get(key: string): T | undefined {
    const span = this.#spans.get(key);
    return span && recordAt<T>(this.#path, span);
  }
}
