import type { SetAside } from "../journal/journal.js";
import { KeyedJournal } from "../journal/keyed-journal.js";

/**
 * Vectors on disk, one record each: the key, and the 32-bit floats (little-endian) as base64. A rerun embeds nothing that
 * stands here; a process killed while it writes loses one vector.
 */
export class FileVectors {
  readonly #journal: KeyedJournal;

  /** Of two records of a key the later holds: it was put because the earlier is damaged. */
  constructor(path: string) {
    this.#journal = new KeyedJournal(path, "last");
  }

  get damage(): readonly SetAside[] {
    return this.#journal.damage;
  }

  get size(): number {
    return this.#journal.size;
  }

  /** The vector of a key, bit for bit as it was put. Undefined for an unknown key and for a damaged record. */
  get(key: string): Float32Array | undefined {
    const record = this.#journal.read<StoredVector>(key);
    return record === undefined ? undefined : vectorOf(record);
  }

  /** The first vector of a key stays, unless its record is damaged. */
  put(key: string, vector: Float32Array): void {
    if (this.get(key) !== undefined) return;
    const bytes = new DataView(new ArrayBuffer(vector.length * 4));
    for (const [i, value] of vector.entries()) bytes.setFloat32(i * 4, value, true);
    const floats = Buffer.from(bytes.buffer).toString("base64");
    this.#journal.put({ key, dimensions: vector.length, floats });
  }

  close(): void {
    this.#journal.close();
  }
}

export interface StoredVector {
  readonly key: string;
  readonly dimensions: number;
  /** 32-bit floats, little-endian, as base64. */
  readonly floats: string;
}

/** The vector of a record. Undefined where its length is not what the record says. */
export function vectorOf({ dimensions, floats }: StoredVector): Float32Array | undefined {
  if (typeof floats !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(floats)) return undefined;
  const bytes = Buffer.from(floats, "base64");
  if (bytes.length !== dimensions * 4) return undefined;
  return Float32Array.from({ length: dimensions }, (_, i) => bytes.readFloatLE(i * 4));
}
