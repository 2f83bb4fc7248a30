import { grown } from "../text/hash-index.js";
import { dateOrder, isDate } from "./dates.js";
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./json-head.js";
import { hasControls, nextQuote, SAME_ESCAPE, signLength, writeSign } from "./json-signs.js";

/**
 * Writes pasts as `JSON.stringify(readProfile(...))` does, byte for byte, from the bytes of a file to the bytes of another: texts
 * are checked and copied, not made into values. It takes on what files of LaMP hold, and declines all else, which
 * `readProfile` then reads or refuses.
 */
export class PastCopier {
  /** Names as they stand in a file, without quotes: `id`, the task's fields, then others as they are met. */
  readonly #names: Uint8Array[] = [];
  /** The same with what stands around them: `,"text":"`. */
  readonly #before: Uint8Array[] = [];
  readonly #needed: number;
  readonly #date: number;
  /** Of the item at hand, by name. */
  readonly #kinds = new Uint8Array(MOST_NAMES);
  readonly #starts = new Float64Array(MOST_NAMES);
  readonly #ends = new Float64Array(MOST_NAMES);
  /** Names of the item at hand, and of the one before it from `#count` on, in the order in which they stand. */
  readonly #sequence = new Uint8Array(MOST_NAMES);
  #count = 0;
  /** Of the text that was read last. */
  #kind = ABSENT;
  /** The last one that was looked for; Infinity: there are no more. */
  #backslash = -1;
  /** Whether the input holds control signs, between texts (a new line) or, which JSON forbids, in them. */
  #hasControls = false;
  #in: Buffer = Buffer.alloc(0);
  #out: Uint8Array = new Uint8Array();
  #at = 0;
  /** Of all items, by field: its name, its kind, its first byte and the one behind it. */
  #fields = new Uint32Array(1024);
  #used = 0;
  /** By item, where in `#fields` it begins. */
  readonly #firsts: number[] = [];

  /** `fields`: what an item must have beside its id. */
  constructor(fields: readonly string[]) {
    const needed = new Set(["id", ...fields]);
    for (const name of needed) this.#add(Buffer.from(name));
    this.#needed = needed.size;
    this.#date = needed.has("date") ? [...needed].indexOf("date") : this.#add(Buffer.from("date"));
  }

  /**
   * Writes the array in `bytes`, which are UTF-8, from `start` to `end` to `out` from `at` on, with room for `MOST_GROWTH` times as
   * many. Where the text ends; -1: declined, and what stands in `out` behind `at` means nothing.
   */
  copy(bytes: Buffer, start: number, end: number, out: Uint8Array, at: number): number {
    [this.#in, this.#out, this.#at] = [bytes, out, at];
    this.#backslash = -1;
    this.#hasControls = hasControls(bytes);
    if (bytes[start] !== OPEN_ARRAY || bytes[end - 1] !== CLOSE_ARRAY) return -1;
    const orders: number[] = [];
    let latest = Number.NEGATIVE_INFINITY;
    let inOrder = true;
    this.#used = 0;
    let from = afterSpace(bytes, start + 1);
    while (from < end - 1) {
      this.#firsts[orders.length] = this.#used;
      const next = this.#readItem(from);
      if (next < 0 || !this.#noteItem()) return -1;
      const order = this.#order(latest);
      if (Number.isNaN(order)) return -1;
      inOrder &&= order >= latest;
      orders.push(order);
      latest = order;
      from = afterSpace(bytes, next);
      if (from === end - 1) break;
      if (bytes[from] !== COMMA) return -1;
      from = afterSpace(bytes, from + 1);
      if (from >= end - 1) return -1; // a comma before the bracket
    }
    if (from !== end - 1) return -1;
    this.#firsts[orders.length] = this.#used;
    const sequence = Uint32Array.from(orders, (_, i) => i);
    if (!inOrder) sequence.sort((a, b) => (orders[a] === orders[b] ? a - b : orders[a]! - orders[b]!));
    out[this.#at++] = OPEN_ARRAY;
    for (const item of sequence) {
      this.#writeItem(item);
      out[this.#at++] = COMMA;
    }
    if (orders.length > 0) this.#at--;
    out[this.#at++] = CLOSE_ARRAY;
    return this.#at;
  }

  /** Takes note of an object's fields. The place behind it; -1 where it is not as expected. */
  #readItem(from: number): number {
    const bytes = this.#in;
    if (bytes[from] !== OPEN_OBJECT) return -1;
    this.#kinds.fill(ABSENT);
    this.#count = 0;
    for (let at = afterSpace(bytes, from + 1); ; at = afterSpace(bytes, at + 1)) {
      if (bytes[at] !== QUOTE) return -1;
      const close = this.#textEnd(at + 1);
      if (close < 0 || this.#kind !== PLAIN) return -1;
      const name = this.#nameOf(at + 1, close);
      if (name < 0 || this.#kinds[name] !== ABSENT) return -1;
      at = afterSpace(bytes, close + 1);
      if (bytes[at] !== COLON) return -1;
      at = this.#readValue(afterSpace(bytes, at + 1), name);
      if (at < 0) return -1;
      this.#sequence[this.#count++] = name;
      at = afterSpace(bytes, at);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return -1;
    }
  }

  #readValue(at: number, name: number): number {
    const isText = this.#in[at] === QUOTE;
    const end = isText ? this.#textEnd(at + 1) : this.#bareEnd(at);
    if (end < 0) return -1;
    this.#kinds[name] = this.#kind;
    this.#starts[name] = isText ? at + 1 : at;
    this.#ends[name] = end;
    return isText ? end + 1 : end;
  }

  /** Where the closing quote of a text stands; -1 for a text that no text of JSON is, or that JSON.stringify writes otherwise. */
  #textEnd(from: number): number {
    const bytes = this.#in;
    let quote = nextQuote(bytes, from);
    this.#kind = PLAIN;
    for (let at = from; this.#nextBackslash(at) < quote; ) {
      const length = this.#escapeLength(this.#backslash);
      if (length < 0) return -1;
      at = this.#backslash + length;
      if (at > quote) quote = nextQuote(bytes, at);
    }
    if (!this.#hasControls) return quote;
    for (let at = from; at < quote; at++) if (bytes[at]! < SPACE) return -1;
    return quote;
  }

  /** The first one from `at` on; Infinity: none. */
  #nextBackslash(at: number): number {
    if (this.#backslash >= at) return this.#backslash;
    const found = this.#in.indexOf(BACKSLASH, at);
    this.#backslash = found < 0 ? Number.POSITIVE_INFINITY : found;
    return this.#backslash;
  }

  /** The bytes of an escape, of two that are one sign; -1: what `signLength` declines, and what is no escape. */
  #escapeLength(at: number): number {
    const next = this.#in[at + 1]!;
    if (SAME_ESCAPE[next] === 1) {
      if (this.#kind === PLAIN) this.#kind = SLASHED;
      return 2;
    }
    this.#kind = ESCAPED;
    if (next === SLASH) return 2;
    return next === LETTER_U ? signLength(this.#in, at) : -1;
  }

  /** Behind a whole number of few digits, true, false or null; -1 for all else. */
  #bareEnd(from: number): number {
    const bytes = this.#in;
    let at = from;
    while (bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
    if (at > from) {
      this.#kind = BARE;
      return at - from > 15 || (bytes[from] === ZERO && at > from + 1) ? -1 : at;
    }
    for (const word of WORDS) {
      if (!word.every((byte, i) => bytes[from + i] === byte)) continue;
      this.#kind = word === NULL ? NOTHING : BARE;
      return from + word.length;
    }
    return -1;
  }

  /** The number of the name in the input; -1 for one that cannot be taken on. Most items have the names of the one before. */
  #nameOf(from: number, to: number): number {
    const likely = this.#sequence[this.#count]!;
    if (likely < this.#names.length && this.#isName(likely, from, to)) return likely;
    for (let name = 0; name < this.#names.length; name++) if (this.#isName(name, from, to)) return name;
    return this.#names.length < MOST_NAMES ? this.#add(Buffer.from(this.#in.subarray(from, to))) : -1;
  }

  #isName(name: number, from: number, to: number): boolean {
    const known = this.#names[name]!;
    if (known.length !== to - from) return false;
    for (let i = 0; i < known.length; i++) if (known[i] !== this.#in[from + i]) return false;
    return true;
  }

  /** -1 for names that objects do not keep in the order in which they come. */
  #add(name: Buffer): number {
    const text = name.toString();
    if (/^\d+$/.test(text) || text === "__proto__") return -1;
    this.#before.push(Buffer.from(`${this.#before.length === 0 ? "{" : ","}${JSON.stringify(text)}:"`));
    return this.#names.push(Uint8Array.from(name)) - 1;
  }

  /** The item's time, after one at `latest`; NaN for a date that is none. */
  #order(latest: number): number {
    const kind = this.#kinds[this.#date];
    if (kind === ABSENT || kind === NOTHING) return latest;
    if (kind !== PLAIN && kind !== BARE) return Number.NaN;
    const from = this.#starts[this.#date]!;
    const to = this.#ends[this.#date]!;
    if (to - from > 10) return Number.NaN;
    const date = this.#in.toString("latin1", from, to);
    return isDate(date) ? dateOrder(date)! : Number.NaN;
  }

  /** Keeps where the item's fields stand, in the order in which they are written. False where a needed one is missing. */
  #noteItem(): boolean {
    for (let name = 0; name < this.#needed; name++) if (!this.#noteField(name)) return false;
    for (let i = 0; i < this.#count; i++) if (this.#sequence[i]! >= this.#needed) this.#noteField(this.#sequence[i]!);
    return true;
  }

  #noteField(name: number): boolean {
    const kind = this.#kinds[name]!;
    if (kind === ABSENT || kind === NOTHING) return false;
    if (this.#used + 4 > this.#fields.length) this.#fields = grown(this.#fields, 2 * this.#fields.length);
    this.#fields[this.#used++] = name;
    this.#fields[this.#used++] = kind;
    this.#fields[this.#used++] = this.#starts[name]!;
    this.#fields[this.#used++] = this.#ends[name]!;
    return true;
  }

  #writeItem(item: number): void {
    for (let field = this.#firsts[item]!; field < this.#firsts[item + 1]!; field += 4) {
      const before = this.#before[this.#fields[field]!]!;
      for (let i = 0; i < before.length; i++) this.#out[this.#at++] = before[i]!;
      const start = this.#fields[field + 2]!;
      const end = this.#fields[field + 3]!;
      if (this.#fields[field + 1] === ESCAPED) this.#writeEscaped(start, end);
      else this.#writeBytes(start, end);
      this.#out[this.#at++] = QUOTE;
    }
    this.#out[this.#at++] = CLOSE_OBJECT;
  }

  #writeBytes(from: number, to: number): void {
    const length = to - from;
    if (length >= WORTH_A_CALL) this.#out.set(this.#in.subarray(from, to), this.#at);
    else for (let i = 0; i < length; i++) this.#out[this.#at + i] = this.#in[from + i]!;
    this.#at += length;
  }

  /** Signs in place of their numbers, as JSON.stringify writes them. */
  #writeEscaped(from: number, to: number): void {
    const bytes = this.#in;
    let start = from;
    for (let at = bytes.indexOf(BACKSLASH, from); at >= 0 && at < to; ) {
      const next = bytes[at + 1]!;
      if (next === LETTER_U || next === SLASH) {
        this.#writeBytes(start, at);
        if (next === SLASH) this.#out[this.#at++] = SLASH;
        else this.#at = writeSign(bytes, at, this.#out, this.#at);
        start = at + this.#escapeLength(at);
      }
      at = bytes.indexOf(BACKSLASH, Math.max(start, at + 2));
    }
    this.#writeBytes(start, to);
  }
}

/** No past takes more times its bytes in the output: `{"a":1}` is `{"a":"1"}` there. */
export const MOST_GROWTH = 2;

const MOST_NAMES = 32;
/** Bytes from which on a call copies faster than a loop. */
const WORTH_A_CALL = 64;

const [SPACE, SLASH, ZERO, NINE, COLON, LETTER_U] = [0x20, 0x2f, 0x30, 0x39, 0x3a, 0x75];

/** What stands for a field: nothing, null, a text without or with escapes that stay, one with others, a number or true or false. */
const [ABSENT, NOTHING, PLAIN, SLASHED, ESCAPED, BARE] = [0, 1, 2, 3, 4, 5];

const NULL = Buffer.from("null");
const WORDS = [NULL, Buffer.from("true"), Buffer.from("false")];

function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}
