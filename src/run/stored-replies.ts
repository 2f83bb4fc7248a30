import { existsSync } from "node:fs";
import { calls } from "../disk/calls.js";
import type { ModelReply, ModelRequest } from "../types.js";
import { framedRecords } from "./journal.js";
import { checkedRecord, recordOf, uncheckedRecord } from "./record-line.js";
import type { Span } from "./scan.js";

/** A stored reply that a check has something to say of. */
export interface PlacedReply {
  readonly key: string;
  /** As an editor counts. */
  readonly line: number;
}

/** The replies of a run folder for reading only: nothing is mended and nothing added. Remembers what was asked for. */
export class StoredReplies {
  /** Further replies to a request that has one: no run writes them, the first holds. */
  readonly doubled: readonly PlacedReply[];
  readonly #path: string;
  readonly #places = new Map<string, Span & { readonly line: number }>();
  readonly #asked = new Set<string>();
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
    const doubled: PlacedReply[] = [];
    for (const { offset, length, line, record } of framedRecords<{ readonly key: string }>(path)) {
      const { key } = record;
      if (this.#places.has(key)) doubled.push({ key, line });
      else this.#places.set(key, { offset, length, line });
    }
    this.doubled = doubled;
  }

  get size(): number {
    return this.#places.size;
  }

  /** The reply of a key; undefined where there is none, or its record is not whole. */
  get(key: string): ModelReply | undefined {
    this.#asked.add(key);
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#read(place)?.reply;
  }

  /** A check stores nothing. */
  put(_key: string, _request: ModelRequest, _reply: ModelReply): void {
    throw new Error("nothing is stored while a run is checked");
  }

  /** Replies that nothing has asked for yet, in file order. */
  unasked(): PlacedReply[] {
    return [...this.#places].flatMap(([key, { line }]) => (this.#asked.has(key) ? [] : [{ key, line }]));
  }

  close(): void {
    if (this.#file !== undefined) calls().close(this.#file);
    this.#file = undefined;
  }

  #read({ offset, length }: Span): { readonly reply?: ModelReply } | undefined {
    if (!existsSync(this.#path)) return undefined;
    this.#file ??= calls().open(this.#path, "r");
    const bytes = Buffer.allocUnsafe(length);
    if (calls().read(this.#file, bytes, 0, length, offset) < length) return undefined;
    const record = checkedRecord(bytes) ?? uncheckedRecord(bytes);
    return record === undefined ? undefined : recordOf(record.body);
  }
}
