import { floats, integers } from "./numbers.js";
import { Slots } from "./slots.js";

/** Different texts, each once, as bytes outside the heap: a million short ids take some 25 MB. */
export class Texts {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** Of text i from ends[i] to ends[i + 1]; the first byte tells how it is written. */
  readonly #ends = floats();
  readonly #hashes = integers();
  readonly #slots = new Slots();
  /** Texts that were asked for, while there are few. */
  readonly #read: string[] = [];
  #size = 0;
  /** The text that was asked for last, and its number: cells, users and phases come many times in a row. */
  #last = "";
  #lastNumber = -1;

  get size(): number {
    return this.#size;
  }

  /** The number of a text that is here; undefined where it is not. */
  find(text: string): number | undefined {
    return this.#find(text, hashOf(text));
  }

  /** The number of a text, which is added where it is new. */
  of(text: string): number {
    if (text === this.#last && this.#lastNumber >= 0) return this.#lastNumber;
    const hash = hashOf(text);
    this.#lastNumber = this.#find(text, hash) ?? this.#add(text, hash);
    this.#last = text;
    return this.#lastNumber;
  }

  /** A text by its number. */
  at(number: number): string {
    if (number >= MOST_READ) return this.#decode(number);
    let text = this.#read[number];
    if (text === undefined) {
      text = this.#decode(number);
      this.#read[number] = text;
    }
    return text;
  }

  #find(text: string, hash: number): number | undefined {
    return this.#slots.find(hash, (number) => this.#hashes.at(number) === hash && this.at(number) === text);
  }

  #add(text: string, hash: number): number {
    const number = this.#size++;
    const start = this.#ends.at(number);
    const encoding = isNarrow(text) ? NARROW : WIDE;
    const length = 1 + Buffer.byteLength(text, encodings[encoding]);
    while (start + length > this.#bytes.length) this.#grow();
    this.#bytes[start] = encoding;
    this.#bytes.write(text, start + 1, encodings[encoding]);
    this.#ends.set(number + 1, start + length);
    this.#hashes.set(number, hash);
    this.#slots.add(hash, number, (known) => this.#hashes.at(known));
    return number;
  }

  #decode(number: number): string {
    const start = this.#ends.at(number);
    const encoding = this.#bytes[start] === NARROW ? NARROW : WIDE;
    return this.#bytes.toString(encodings[encoding], start + 1, this.#ends.at(number + 1));
  }

  #grow(): void {
    const bytes = Buffer.allocUnsafeSlow(this.#bytes.length * 2);
    this.#bytes.copy(bytes);
    this.#bytes = bytes;
  }
}

const FIRST_BYTES = 1 << 14;
const MOST_READ = 1 << 16;
const NARROW = 0;
const WIDE = 1;
/** Two bytes a letter keep every text as it is, halves of letters among them. */
const encodings = ["latin1", "utf16le"] as const;

/** FNV-1a over code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}

function isNarrow(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false;
  return true;
}
