import { grown } from "../../text/hash-index.js";
import type { Span } from "../journal/scan.js";
import { inOrder } from "./in-order.js";

/** Spans by text keys, packed; the last span of a key holds. */
export class SortedSpans {
  #text = Buffer.allocUnsafe(1 << 16);
  #used = 0;
  #starts = new Float64Array(FIRST_ROOM);
  #offsets = new Float64Array(FIRST_ROOM);
  #lengths = new Uint32Array(FIRST_ROOM);
  #count = 0;
  /** Bytes of a character: one until a key needs two. Big-endian, so that bytes sort as texts do. */
  #width: 1 | 2 = 1;

  add(key: string, { offset, length }: Span): void {
    if (this.#width === 1 && WIDE.test(key)) this.#widen();
    this.#makeRoom(key.length * this.#width);
    this.#starts[this.#count] = this.#used;
    this.#offsets[this.#count] = offset;
    this.#lengths[this.#count] = length;
    this.#used += this.#write(key);
    this.#count += 1;
    this.#starts[this.#count] = this.#used;
  }

  /** In the order in which `sort` puts the keys. */
  *inOrder(): Generator<Span> {
    const order = this.#order();
    for (const [place, i] of order.entries()) {
      const next = order[place + 1];
      if (next !== undefined && this.#compare(i, next) === 0) continue; // a later record of the same key holds
      yield { offset: this.#offsets[i]!, length: this.#lengths[i]! };
    }
  }

  #order(): Uint32Array {
    if (this.#isInOrder()) return Uint32Array.from({ length: this.#count }, (_, i) => i);
    const shared = this.#sharedBytes();
    const head = (i: number): number => {
      let bits = 0;
      const [start, end] = [this.#starts[i]! + shared, this.#starts[i + 1]!];
      for (let at = start; at < start + 4; at++) bits = bits * 256 + (at < end ? this.#text[at]! : 0);
      return bits;
    };
    return inOrder(this.#count, head, (a, b) => this.#compare(a, b));
  }

  /** With how many bytes all keys begin alike. */
  #sharedBytes(): number {
    let shared = this.#starts[1]! - this.#starts[0]!;
    for (let i = 1; i < this.#count; i++) {
      const start = this.#starts[i]!;
      let same = 0;
      const most = Math.min(shared, this.#starts[i + 1]! - start);
      while (same < most && this.#text[start + same] === this.#text[same]) same++;
      shared = same;
    }
    return shared;
  }

  #isInOrder(): boolean {
    for (let i = 1; i < this.#count; i++) if (this.#compare(i - 1, i) > 0) return false;
    return true;
  }

  #compare(a: number, b: number): number {
    const [starts, text] = [this.#starts, this.#text];
    return text.compare(text, starts[b]!, starts[b + 1]!, starts[a]!, starts[a + 1]!);
  }

  #write(key: string): number {
    const start = this.#used;
    if (this.#width === 1) return this.#text.write(key, start, "latin1");
    const bytes = this.#text.write(key, start, "utf16le");
    this.#text.subarray(start, start + bytes).swap16();
    return bytes;
  }

  #widen(): void {
    const wide = Buffer.alloc(2 * this.#text.length);
    for (let i = 0; i < this.#used; i++) wide[2 * i + 1] = this.#text[i]!;
    this.#text = wide;
    this.#used *= 2;
    this.#width = 2;
    this.#starts = this.#starts.map((start) => 2 * start);
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes > this.#text.length) {
      const larger = Buffer.allocUnsafe(2 * this.#text.length + bytes);
      this.#text.copy(larger, 0, 0, this.#used);
      this.#text = larger;
    }
    if (this.#count + 1 < this.#offsets.length) return;
    this.#starts = grown(this.#starts, 2 * this.#starts.length);
    this.#offsets = grown(this.#offsets, 2 * this.#offsets.length);
    this.#lengths = grown(this.#lengths, 2 * this.#lengths.length);
  }
}

const FIRST_ROOM = 64;
const WIDE = /[^\0-\xff]/;
