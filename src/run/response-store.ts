import type { ModelReply, ModelRequest } from "../types.js";
import { Journal, type Place } from "./journal.js";

/** Replies between two forced writes to disk; a killed process loses none in any case, a power cut at most these. */
const REPLIES_PER_SYNC = 256;

const KEY_PREFIX = '{"key":"';
const KEY_LENGTH = 64; // SHA-256 in hex

/**
 * The only saved intermediate work of a run: every reply by the content id of its whole request. A rerun answers from
 * here, so a killed run pays for nothing twice. The index holds offsets only; replies are read when asked for.
 */
export class ResponseStore {
  readonly #journal: Journal;
  readonly #places = new Map<string, Place>();
  #unsynced = 0;

  constructor(path: string) {
    this.#journal = new Journal(path);
    for (const { offset, bytes } of this.#journal.frames()) {
      const key = bytes.toString("latin1", KEY_PREFIX.length, KEY_PREFIX.length + KEY_LENGTH);
      if (bytes.toString("latin1", 0, KEY_PREFIX.length) === KEY_PREFIX && !this.#places.has(key))
        this.#places.set(key, { offset, length: bytes.length });
    }
  }

  get size(): number {
    return this.#places.size;
  }

  get(key: string): ModelReply | undefined {
    return this.record(key)?.reply;
  }

  /** Request and reply of a key. */
  record(key: string): { readonly request: ModelRequest; readonly reply: ModelReply } | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    return JSON.parse(this.#journal.read(place).toString("utf8"));
  }

  keys(): IterableIterator<string> {
    return this.#places.keys();
  }

  put(key: string, request: ModelRequest, reply: ModelReply): void {
    if (this.#places.has(key)) return;
    this.#places.set(key, this.#journal.append({ key, reply, request }));
    if (++this.#unsynced < REPLIES_PER_SYNC) return;
    this.#journal.sync();
    this.#unsynced = 0;
  }

  close(): void {
    this.#journal.close();
  }
}
