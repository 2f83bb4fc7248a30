import { pySplit } from "../text/python.js";

/**
 * Writes a 64-bit key of a text into keys[place] and keys[place + 1]; case and spacing do not count (METHODS 0.2).
 * Not for adversaries: two mixed 32-bit hashes, by which two of 500,000 different texts agree once in 10^8 corpora.
 */
export function writeContentKey(text: string, keys: Uint32Array, index: number): void {
  const normalized = pySplit(text.normalize("NFKC").toLowerCase()).join(" ");
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < normalized.length; i++) {
    const unit = normalized.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca6b);
    b = Math.imul(b ^ unit, 0xc2b2ae35);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  keys[index] = a ^ (b >>> 16);
  keys[index + 1] = b ^ (a >>> 16);
}
