import { hash } from "node:crypto";

/**
 * Numbers keys from 0 in the order of their adding. The first ones are kept as they are; of many only hashes are, twenty-some bytes
 * a key and no objects: for keys by the hundred thousand.
 */
export class HashIndex {
  #few: Map<string, number> | undefined = new Map();
  #words = new Uint32Array(4 * FIRST_ROOM);
  /** The key's number + 1; 0 where nothing stands. A power of two of slots, at most half of them taken. */
  #slots = new Uint32Array(2 * FIRST_ROOM);
  #size = 0;

  get size(): number {
    return this.#few?.size ?? this.#size;
  }

  /** The number of a key; -1 for an unknown one. */
  find(key: string): number {
    return this.#few === undefined ? this.#slots[this.#slotOf(hashOf(key))]! - 1 : (this.#few.get(shortOf(key)) ?? -1);
  }

  /** The number of a key, which is added where it is new. */
  add(key: string): number {
    const few = this.#few;
    if (few === undefined) return this.#addHash(hashOf(key));
    const short = shortOf(key);
    const known = few.get(short);
    if (known !== undefined) return known;
    if (few.size < FEW) {
      few.set(short, few.size);
      return few.size - 1;
    }
    this.#few = undefined;
    for (const before of few.keys()) this.#append(hashOf(before));
    return this.#addHash(hashOf(short));
  }

  #addHash(key: Hash): number {
    const known = this.#slots[this.#slotOf(key)]!;
    return known > 0 ? known - 1 : this.#append(key);
  }

  #append(key: Hash): number {
    const slot = this.#slotOf(key);
    const number = this.#size++;
    if (this.#size * 4 > this.#words.length) this.#words = grown(this.#words, 2 * this.#words.length);
    this.#words.set(key, number * 4);
    this.#slots[slot] = number + 1;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  #slotOf(key: Hash): number {
    const mask = this.#slots.length - 1;
    for (let slot = key[0] & mask; ; slot = (slot + 1) & mask) {
      const at = (this.#slots[slot]! - 1) * 4;
      if (at < 0) return slot;
      const words = this.#words;
      if (words[at] === key[0] && words[at + 1] === key[1] && words[at + 2] === key[2] && words[at + 3] === key[3])
        return slot;
    }
  }

  #rehash(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = this.#words[number * 4]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** A set of texts; of many only hashes are kept. */
export class HashSet {
  readonly #index = new HashIndex();
  #held = new Uint8Array(FIRST_ROOM);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    const number = this.#index.find(key);
    return number >= 0 && this.#held[number] === 1;
  }

  /** Puts a key in, or takes it out. True where that changes anything. */
  set(key: string, held: boolean): boolean {
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

const FIRST_ROOM = 64;
/** Keys that are kept as they are: to hash so many takes longer than all else that is done with them. */
const FEW = 1 << 14;
const HEX_DIGITS = 64;
const SHA256 = /^[0-9a-f]{64}$/;

/** A key as 128 bits of a hash. Two keys of a run never share them by chance. */
type Hash = readonly [number, number, number, number];

/** Of a SHA-256 in hex: its first 128 bits. Any other text is hashed. */
function hashOf(key: string): Hash {
  if (key.length !== HEX_DIGITS || !SHA256.test(key)) {
    const digest = hash("sha256", key, "buffer");
    return [digest.readUInt32BE(0), digest.readUInt32BE(4), digest.readUInt32BE(8), digest.readUInt32BE(12)];
  }
  const word = (at: number): number => Number.parseInt(key.slice(at, at + 8), 16);
  return [word(0), word(8), word(16), word(24)];
}

/** Texts may be of any length: the hash of a long one stands for it. */
const shortOf = (key: string): string => (key.length > HEX_DIGITS ? hash("sha256", key) : key);
