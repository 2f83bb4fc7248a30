import { framedRecords, recordAt } from "../../run/journal.js";
import { SpanIndex } from "../../run/replies.js";

/** The records of a journal file by a key: memory holds where they stand, each is read again when it is asked for. */
export class RecordIndex<T> {
  readonly #path: string;
  readonly #spans = new SpanIndex();

  /** Goes through the file once. Of several records with one key it takes the last or the first. */
  constructor(path: string, keyOf: (record: T) => string, takes: "last" | "first") {
    this.#path = path;
    for (const { record, offset, length } of framedRecords<T>(path)) {
      this.#spans.set(keyOf(record), { offset, length }, takes);
    }
  }

  /** The record of a key; undefined where there is none. */
  get(key: string): T | undefined {
    const span = this.#spans.get(key);
    return span === undefined ? undefined : recordAt<T>(this.#path, span);
  }
}
