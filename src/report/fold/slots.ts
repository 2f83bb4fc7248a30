/** An index of things that stand elsewhere, by a hash of each: numbers only, so that a million take 8 to 16 MB. */
export class Slots {
  #slots = new Int32Array(FIRST_SLOTS);
  #size = 0;

  /** The place of the thing that `isIt` accepts; undefined where it was never added. */
  find(hash: number, isIt: (place: number) => boolean): number | undefined {
    const mask = this.#slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1; // the slot is within the array
      if (place === -1) return undefined;
      if (isIt(place)) return place;
    }
  }

  /** Adds a thing that was not found. `hashOf` gives the hashes of those that stand here already. */
  add(hash: number, place: number, hashOf: (place: number) => number): void {
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length) this.#grow(hashOf);
    put(this.#slots, hash, place);
  }

  #grow(hashOf: (place: number) => number): void {
    const slots = new Int32Array(this.#slots.length * 2);
    for (const stored of this.#slots) if (stored !== 0) put(slots, hashOf(stored - 1), stored - 1);
    this.#slots = slots;
  }
}

const FIRST_SLOTS = 1024;

/** Places are stored plus one: 0 is an empty slot. */
function put(slots: Int32Array, hash: number, place: number): void {
  const mask = slots.length - 1;
  let slot = spread(hash) & mask;
  while (slots[slot] !== 0) slot = (slot + 1) & mask;
  slots[slot] = place + 1;
}

/** Finalizer of MurmurHash3: every bit of the hash moves the low bits. */
function spread(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
