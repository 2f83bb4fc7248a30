import { Journal, type Place } from "./journal.js";

const KEY_PREFIX = '{"key":"';
const KEY_LENGTH = 64; // SHA-256 in hex

/**
 * Vectors on disk, one record each: the key, and the 32-bit floats (little-endian) as base64. A rerun embeds nothing that
 * stands here; a process killed while it writes loses one vector. The index holds offsets only.
 */
export class FileVectors {
  readonly #journal: Journal;
  readonly #places = new Map<string, Place>();

  /** Of two records of a key the later holds: it was put because the earlier is damaged. */
  constructor(path: string) {
    this.#journal = new Journal(path);
    for (const { offset, bytes } of this.#journal.frames()) {
      const key = bytes.toString("latin1", KEY_PREFIX.length, KEY_PREFIX.length + KEY_LENGTH);
      if (bytes.toString("latin1", 0, KEY_PREFIX.length) === KEY_PREFIX)
        this.#places.set(key, { offset, length: bytes.length });
    }
  }

  get size(): number {
    return this.#places.size;
  }

  /** The vector of a key, bit for bit as it was put. Undefined for an unknown key and for a damaged record. */
  get(key: string): Float32Array | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : vectorOf(this.#journal.read(place));
  }

  /** The first vector of a key stays, unless its record is damaged. */
  put(key: string, vector: Float32Array): void {
    if (this.get(key) !== undefined) return;
    const bytes = new DataView(new ArrayBuffer(vector.length * 4));
    for (const [i, value] of vector.entries()) bytes.setFloat32(i * 4, value, true);
    const floats = Buffer.from(bytes.buffer).toString("base64");
    this.#places.set(key, this.#journal.append({ key, dimensions: vector.length, floats }));
  }

  close(): void {
    this.#journal.close();
  }
}

// --- internal ---

const RECORD = /^\{"key":"[0-9a-f]{64}","dimensions":(\d+),"floats":"([A-Za-z0-9+/]*={0,2})"\}$/;

/** The vector of a record's bytes. Undefined for a damaged record. */
export function vectorOf(record: Buffer): Float32Array | undefined {
  const [, dimensions, floats = ""] = RECORD.exec(record.toString("latin1")) ?? [];
  const bytes = Buffer.from(floats, "base64");
  if (dimensions === undefined || bytes.length !== Number(dimensions) * 4) return undefined;
  return Float32Array.from({ length: Number(dimensions) }, (_, i) => bytes.readFloatLE(i * 4));
}
