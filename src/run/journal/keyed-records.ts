import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { onFile } from "../../disk/file-error.js";
import { framedRecords } from "./journal.js";
import { checkedRecord, recordOf } from "./record-line.js";
import { SAFE, type Span } from "./scan.js";

/** A record that stands under a key, by its place in the file. */
export interface PlacedRecord {
  readonly key: string;
  /** As an editor counts. */
  readonly line: number;
}

/** The records of a journal by their `key`, for reading only: nothing is mended and nothing added. The first of a key holds. */
export class KeyedRecords<T extends { readonly key: string }> {
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
    return place === undefined ? undefined : this.#read(place);
  }

  /** In file order. */
  places(): PlacedRecord[] {
    return [...this.#places].map(([key, { line }]) => ({ key, line }));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #read({ offset, length }: Span): T | undefined {
    if (!existsSync(this.#path)) return undefined;
    const bytes = Buffer.allocUnsafe(length);
    const got = onFile(this.#path, SAFE, () => {
      this.#file ??= openSync(this.#path, "r");
      return readSync(this.#file, bytes, 0, length, offset);
    });
    if (got < length) return undefined;
    const record = checkedRecord(bytes);
    return record === undefined ? undefined : recordOf<T>(record.body);
  }
}
