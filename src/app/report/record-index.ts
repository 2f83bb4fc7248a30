import { floats, integers } from "../../report/fold/numbers.js";
import { Slots } from "../../report/fold/slots.js";
import { framedRecords } from "../../run/journal.js";
import { recordAt } from "../../run/record-at.js";

/** Where the records of a journal file stand, by a key: some 30 bytes each, read again when they are asked for. */
export class RecordIndex<T> {
  readonly #path: string;
  readonly #keysOf: (record: T) => string;
  readonly #hashes = integers();
  readonly #offsets = floats();
  readonly #lengths = integers();
  readonly #slots = new Slots();

  /** Goes through the file once. Of several records with one key it takes the last or the first. */
  constructor(path: string, keyOf: (record: T) => string, takes: "last" | "first") {
    this.#path = path;
    this.#keysOf = keyOf;
    let size = 0;
    for (const { record, offset, length } of framedRecords<T>(path)) {
      const key = keyOf(record);
      const hash = hashOf(key);
      const known = this.#find(key, hash);
      if (known !== undefined && takes === "first") continue;
      const place = known?.place ?? size++;
      this.#hashes.set(place, hash);
      this.#offsets.set(place, offset);
      this.#lengths.set(place, length);
      if (known === undefined) this.#slots.add(hash, place, (other) => this.#hashes.at(other));
    }
  }

  /** The record of a key; undefined where there is none. */
  get(key: string): T | undefined {
    return this.#find(key, hashOf(key))?.record;
  }

  #find(key: string, hash: number): { readonly place: number; readonly record: T } | undefined {
    let record: T | undefined;
    const place = this.#slots.find(hash, (place) => {
      if (this.#hashes.at(place) !== hash) return false;
      record = recordAt<T>(this.#path, { offset: this.#offsets.at(place), length: this.#lengths.at(place) });
      return record !== undefined && this.#keysOf(record) === key;
    });
    return place === undefined || record === undefined ? undefined : { place, record };
  }
}

// --- internal ---

/** FNV-1a over code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
