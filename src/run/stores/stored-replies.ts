import type { ModelReply, ModelRequest } from "../../types.js";
import { KeyedRecords, type PlacedRecord } from "../journal/keyed-journal.js";
import type { StoredCall } from "./response-store.js";

/** The replies of a run folder for reading only: nothing is mended and nothing added. Remembers what was asked for. */
export class StoredReplies {
  readonly #records: KeyedRecords<StoredCall>;
  readonly #asked = new Set<string>();

  constructor(path: string) {
    this.#records = new KeyedRecords(path);
  }

  /** Further replies to a request that has one: no run writes them, the first holds. */
  get doubled(): readonly PlacedRecord[] {
    return this.#records.doubled;
  }

  get size(): number {
    return this.#records.size;
  }

  /** The reply of a key; undefined where there is none, or its record is not whole. */
  get(key: string): ModelReply | undefined {
    this.#asked.add(key);
    return this.#records.get(key)?.reply;
  }

  /** A check stores nothing. */
  put(_key: string, _request: ModelRequest, _reply: ModelReply): void {
    throw new Error("nothing is stored while a run is checked");
  }

  /** Replies that nothing has asked for yet, in file order. */
  unasked(): PlacedRecord[] {
    return this.#records.places().filter(({ key }) => !this.#asked.has(key));
  }

  close(): void {
    this.#records.close();
  }
}
