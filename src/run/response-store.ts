import type { ModelReply, ModelRequest } from "../types.js";
import { Journal, type SetAside } from "./journal.js";
import type { Span } from "./scan.js";

const KEY_PREFIX = '{"key":"';
const KEY_LENGTH = 64; // SHA-256 in hex

/**
 * The only saved intermediate work of a run: every reply by the content id of its whole request. A rerun answers from
 * here, so a killed run pays for nothing twice. The index holds offsets only; replies are read when asked for.
 */
export class ResponseStore {
  readonly #journal: Journal;
  readonly #spans = new Map<string, Span>();

  constructor(path: string) {
    this.#journal = new Journal(path);
    for (const { offset, length, body } of this.#journal.frames()) {
      const key = body.toString("latin1", KEY_PREFIX.length, KEY_PREFIX.length + KEY_LENGTH);
      if (body.toString("latin1", 0, KEY_PREFIX.length) === KEY_PREFIX && !this.#spans.has(key))
        this.#spans.set(key, { offset, length });
    }
  }

  /** What was damaged in the file and set aside: these calls are made again. */
  get damage(): readonly SetAside[] {
    return this.#journal.damage;
  }

  get size(): number {
    return this.#spans.size;
  }

  get(key: string): ModelReply | undefined {
    return this.record(key)?.reply;
  }

  /** Request and reply of a key. */
  record(key: string): { readonly request: ModelRequest; readonly reply: ModelReply } | undefined {
    const span = this.#spans.get(key);
    if (span === undefined) return undefined;
    return this.#journal.read(span);
  }

  keys(): IterableIterator<string> {
    return this.#spans.keys();
  }

  /** Stands in the file in full when this returns. Throws FileError. */
  put(key: string, request: ModelRequest, reply: ModelReply): void {
    if (this.#spans.has(key)) return;
    this.#spans.set(key, this.#journal.append({ key, reply, request }));
  }

  close(): void {
    this.#journal.close();
  }
}
