import { hash } from "node:crypto";

/** A key as 128 bits of a hash. Two keys of a run never share them by chance. */
export type Hash = readonly [number, number, number, number];

/** Of a SHA-256 in hex: its first 128 bits. Any other text is hashed. */
export function hashOf(key: string): Hash {
  if (key.length !== HEX_DIGITS || !SHA256.test(key)) {
    const digest = hash("sha256", key, "buffer");
    return [digest.readUInt32BE(0), digest.readUInt32BE(4), digest.readUInt32BE(8), digest.readUInt32BE(12)];
  }
  const word = (at: number): number => Number.parseInt(key.slice(at, at + 8), 16);
  return [word(0), word(8), word(16), word(24)];
}

/** Numbers keys from 0 in the order of their adding. Twenty-some bytes a key, no objects: for keys by the hundred thousand. */
export class HashIndex {
  #words = new Uint32Array(4 * FIRST_ROOM);
  /** The key's number + 1; 0 where nothing stands. A power of two of places, at most half of them taken. */
  #places = new Uint32Array(2 * FIRST_ROOM);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of a key; -1 for an unknown one. */
  find(key: Hash): number {
    return this.#places[this.#placeOf(key)]! - 1;
  }

  /** The number of a key, which is added where it is new. */
  add(key: Hash): number {
    const place = this.#placeOf(key);
    const known = this.#places[place]!;
    if (known > 0) return known - 1;
    const number = this.#size++;
    if (this.#size * 4 > this.#words.length) this.#words = grown(this.#words, 2 * this.#words.length);
    this.#words.set(key, number * 4);
    this.#places[place] = number + 1;
    if (this.#size * 2 > this.#places.length) this.#rehash();
    return number;
  }

  #placeOf(key: Hash): number {
    const mask = this.#places.length - 1;
    for (let place = key[0] & mask; ; place = (place + 1) & mask) {
      const at = (this.#places[place]! - 1) * 4;
      if (at < 0) return place;
      const words = this.#words;
      if (words[at] === key[0] && words[at + 1] === key[1] && words[at + 2] === key[2] && words[at + 3] === key[3])
        return place;
    }
  }

  #rehash(): void {
    const places = new Uint32Array(2 * this.#places.length);
    const mask = places.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let place = this.#words[number * 4]! & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = number + 1;
    }
    this.#places = places;
  }
}

/** A set of texts of which only hashes are kept. */
export class HashSet {
  readonly #index = new HashIndex();
  #held = new Uint8Array(FIRST_ROOM);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    const number = this.#index.find(hashOf(key));
    return number >= 0 && this.#held[number] === 1;
  }

  /** Puts a key in, or takes it out. True where that changes anything. */
  set(key: string, held: boolean): boolean {
    return this.setHash(hashOf(key), held);
  }

  /** The same of a key whose hash is known. */
  setHash(key: Hash, held: boolean): boolean {
    const number = this.#index.add(key);
    if (number >= this.#held.length) this.#held = grown(this.#held, 2 * this.#held.length);
    if ((this.#held[number] === 1) === held) return false;
    this.#held[number] = held ? 1 : 0;
    this.#size += held ? 1 : -1;
    return true;
  }
}

/** A longer copy of an array of numbers. */
export function grown<T extends Uint8Array | Uint32Array | Float64Array>(old: T, length: number): T {
  const longer = new (old.constructor as new (length: number) => T)(length);
  longer.set(old);
  return longer;
}

// --- internal ---

const FIRST_ROOM = 64;
const HEX_DIGITS = 64;
const SHA256 = /^[0-9a-f]{64}$/;
