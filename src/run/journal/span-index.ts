import { grown, HashIndex } from "../../text/hash-index.js";
import type { Span } from "./scan.js";

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
