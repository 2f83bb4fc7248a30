import { grown } from "../text/hash-index.js";

/** Whole numbers below 2^32, four bytes each. */
export class Column {
  #values = new Uint32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#values = grown(this.#values, 2 * this.#length);
    this.#values[this.#length++] = value;
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }
}

/** Texts in their bytes; short ones that come often stand once. */
export class PackedTexts {
  readonly #chunks: Buffer[] = [];
  readonly #chunkOf = new Column();
  readonly #starts = new Column();
  readonly #lengths = new Column();
  readonly #often = new Map<string, number>();
  /** Texts that UTF-8 cannot hold, by number. */
  readonly #odd = new Map<number, string>();
  #used = CHUNK_BYTES;

  /** Keeps a text. Returns its number. */
  add(text: string): number {
    const known = this.#often.get(text);
    if (known !== undefined) return known;
    const number = this.#starts.length;
    if (text.length <= SHORT && this.#often.size < MOST_OFTEN) this.#often.set(text, number);
    if (/\p{Surrogate}/u.test(text)) this.#odd.set(number, text);
    const bytes = Buffer.from(text, "utf8");
    if (this.#used + bytes.length > CHUNK_BYTES) {
      this.#chunks.push(Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes.length)));
      this.#used = 0;
    }
    bytes.copy(this.#chunks.at(-1)!, this.#used);
    this.#chunkOf.push(this.#chunks.length - 1);
    this.#starts.push(this.#used);
    this.#lengths.push(bytes.length);
    this.#used += bytes.length;
    return number;
  }

  at(number: number): string {
    const start = this.#starts.at(number);
    const chunk = this.#chunks[this.#chunkOf.at(number)]!;
    return this.#odd.get(number) ?? chunk.toString("utf8", start, start + this.#lengths.at(number));
  }
}

const CHUNK_BYTES = 1 << 18;
const SHORT = 32;
const MOST_OFTEN = 1000;
