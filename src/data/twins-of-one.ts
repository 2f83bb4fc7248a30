import { plainWords } from "../text/plain-words.js";
import { tagEnd } from "../text/tags.js";
import { isShort, isTwin, LEAST_WORDS, runLength } from "./twin-measure.js";

/**
 * Whether texts are near twins of the one whose `plainWords` these are: what `nearTwins` finds where it has one text. Made for
 * millions of texts: words of plain ASCII are looked up where they stand, and nothing is made of them.
 */
export function twinsOfOne(plain: readonly string[], near: number): (text: string) => boolean {
  const known = new KnownWords(plain);
  const only = Int32Array.from(plain, (word) => known.find(word));
  const scale = known.size + 1;
  const length = runLength(only.length);
  const places = new Map<number, number>();
  for (let end = length; end <= only.length; end++) {
    const run = packed(only, end - length, length, scale);
    if (!places.has(run)) places.set(run, places.size);
  }
  const isOneShort = isShort(plain);
  const seen = new Uint32Array(places.size);
  let turn = 0;

  /** How many distinct runs of the one stand in the first `count` words. */
  const sharedOf = (count: number): number => {
    turn += 1;
    let shared = 0;
    for (let end = length; end <= count; end++) {
      if (words[end - 1] === 0 || words[end - 2] === 0 || words[end - length] === 0) continue;
      const place = places.get(packed(words, end - length, length, scale));
      if (place === undefined || seen[place] === turn) continue;
      seen[place] = turn;
      shared += 1;
    }
    return shared;
  };

  return (text) => {
    const count = known.read(text);
    let same = count === only.length && count > 0;
    for (let at = 0; same && at < count; at++) same = words[at] === only[at];
    if (same || isOneShort || known.isShort) return same;
    const shared = sharedOf(count);
    if (shared === 0) return false;
    const other = words.subarray(0, count);
    return isTwin(
      { words: only, runs: places.size },
      { words: other, runs: counter.distinct(other, runLength(count), scale) },
      shared,
      near,
    );
  };
}

/** A run as one number, another for every other run. */
function packed(of: Int32Array, start: number, length: number, scale: number): number {
  const first = of[start]! * scale + of[start + 1]!;
  return length === 2 ? first : first * scale + of[start + 2]!;
}

/** Kinds of signs; all others part words. */
const WORD = 1;
/** What `plainWords` folds, or takes for more than the end of a word. */
const FOLDED = 2;
/** Where a tag may begin. */
const OPENS = 3;
const SIGNS = new Uint8Array(128).fill(FOLDED, 0, 9).fill(FOLDED, 127);
for (const sign of Buffer.from("&'")) SIGNS[sign] = FOLDED;
for (const sign of Buffer.from("<")) SIGNS[sign] = OPENS;
for (const sign of Buffer.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")) SIGNS[sign] = WORD;

const SMALL = 0x20; // makes letters small and leaves digits alone
const HASH_FACTOR = 31;
const NOT_SOUGHT = -2;

/** The words of the text that was read last, by number; 0 for words that are not known. */
let words = new Int32Array(256);

/** The distinct words of a text, numbered from 1. */
class KnownWords {
  /** Of the text that was read last. */
  isShort = true;
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [""];
  readonly #hashes: number[] = [0];
  /** Numbers of words of plain ASCII, where their hash says or behind. */
  readonly #places: Int32Array;

  constructor(plain: readonly string[]) {
    for (const word of plain) {
      if (this.#numbers.has(word)) continue;
      this.#numbers.set(word, this.#texts.push(word) - 1);
      let hash = 0;
      for (let at = 0; at < word.length; at++) hash = (Math.imul(hash, HASH_FACTOR) + word.charCodeAt(at)) | 0;
      this.#hashes.push(hash);
    }
    this.#places = new Int32Array(2 ** Math.ceil(Math.log2(4 * this.#texts.length)));
    for (let number = 1; number < this.#texts.length; number++) {
      let place = this.#hashes[number]! & (this.#places.length - 1);
      while (this.#places[place] !== 0) place = (place + 1) & (this.#places.length - 1);
      this.#places[place] = number;
    }
  }

  get size(): number {
    return this.#numbers.size;
  }

  find(word: string): number {
    return this.#numbers.get(word) ?? 0;
  }

  /** Reads a text into `words`. How many it has. */
  read(text: string): number {
    const count = this.#readPlain(text);
    this.isShort = count < LEAST_WORDS;
    if (count >= 0) return count;
    const plain = plainWords(text);
    this.isShort = isShort(plain);
    if (plain.length > words.length) words = new Int32Array(2 * plain.length);
    for (const [at, word] of plain.entries()) words[at] = this.find(word);
    return plain.length;
  }

  /** -1 where the text is not plain. */
  #readPlain(text: string): number {
    if (text.length >= 2 * words.length) words = new Int32Array(text.length);
    let count = 0;
    let start = -1;
    let hash = 0;
    let last = NOT_SOUGHT;
    for (let at = 0; at < text.length; at++) {
      const sign = text.charCodeAt(at);
      const kind = sign < SIGNS.length ? SIGNS[sign]! : FOLDED;
      if (kind === WORD) {
        if (start < 0) [start, hash] = [at, 0];
        hash = (Math.imul(hash, HASH_FACTOR) + (sign | SMALL)) | 0;
        continue;
      }
      if (kind === FOLDED) return -1;
      if (start >= 0) words[count++] = this.#numberAt(text, start, at, hash);
      start = -1;
      if (kind === OPENS) {
        if (last === NOT_SOUGHT) last = text.lastIndexOf(">");
        at = Math.max(at, tagEnd(text, at, last));
      }
    }
    if (start >= 0) words[count++] = this.#numberAt(text, start, text.length, hash);
    return count;
  }

  #numberAt(text: string, start: number, end: number, hash: number): number {
    const mask = this.#places.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = this.#places[place]!;
      if (number === 0 || (this.#hashes[number] === hash && isWord(text, start, end, this.#texts[number]!)))
        return number;
    }
  }
}

/** Whether a stretch of a text is a word, in whatever case. */
function isWord(text: string, start: number, end: number, word: string): boolean {
  if (end - start !== word.length) return false;
  for (let at = start; at < end; at++) if ((text.charCodeAt(at) | SMALL) !== word.charCodeAt(at - start)) return false;
  return true;
}

/** Counts distinct runs of one text after another. */
class RunCounter {
  #runs = new Float64Array(256);
  #turns = new Uint32Array(256);
  #turn = 0;

  distinct(of: Int32Array, length: number, scale: number): number {
    if (4 * of.length > this.#runs.length) {
      this.#runs = new Float64Array(2 ** Math.ceil(Math.log2(8 * of.length)));
      this.#turns = new Uint32Array(this.#runs.length);
      this.#turn = 0;
    }
    this.#turn += 1;
    const mask = this.#runs.length - 1;
    let count = 0;
    for (let end = length; end <= of.length; end++) {
      const run = packed(of, end - length, length, scale);
      let place = (Math.imul(run | 0, 0x9e3779b1) >>> 8) & mask;
      while (this.#turns[place] === this.#turn && this.#runs[place] !== run) place = (place + 1) & mask;
      if (this.#turns[place] === this.#turn) continue;
      this.#turns[place] = this.#turn;
      this.#runs[place] = run;
      count += 1;
    }
    return count;
  }
}

const counter = new RunCounter();
