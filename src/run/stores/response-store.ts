import type { ModelReply, ModelRequest } from "../../types.js";
import type { SetAside } from "../journal/journal.js";
import { KeyedJournal } from "../journal/keyed-journal.js";

/** A request and its reply. */
export interface StoredCall {
  /** The content id of the request. */
  readonly key: string;
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/**
 * The only saved intermediate work of a run: every reply by the content id of its whole request. A rerun answers from
 * here, so a killed run pays for nothing twice. Replies are read when asked for.
 */
export class ResponseStore {
  readonly #journal: KeyedJournal;

  constructor(path: string) {
    this.#journal = new KeyedJournal(path, "first");
  }

  /** What was damaged in the file and set aside: these calls are made again. */
  get damage(): readonly SetAside[] {
    return this.#journal.damage;
  }

  get size(): number {
    return this.#journal.size;
  }

  get(key: string): ModelReply | undefined {
    return this.record(key)?.reply;
  }

  has(key: string): boolean {
    return this.#journal.has(key);
  }

  /** Request and reply of a key. */
  record(key: string): StoredCall | undefined {
    return this.#journal.read(key);
  }

  /** Every call that is kept, in file order. */
  records(): Generator<StoredCall> {
    return this.#journal.records();
  }

  /** Stands in the file in full when this returns. Throws FileError. */
  put(key: string, request: ModelRequest, reply: ModelReply): void {
    if (!this.#journal.has(key)) this.#journal.put({ key, reply, request });
  }

  close(): void {
    this.#journal.close();
  }
}
