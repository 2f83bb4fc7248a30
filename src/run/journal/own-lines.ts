import { hash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { onFile } from "../../disk/file-error.js";
import { SAFE } from "./scan.js";

/**
 * What this process has appended to a file that held nothing: the digest of each record, and a check over all bytes. So the file is
 * sealed, and put in order, without its records being read again. Forgotten where they are many.
 */
export class OwnLines {
  /** By record, in the order in which they came. */
  readonly digests: string[] = [];
  #bytes = 0;
  #sum = 0;
  #isForgotten = false;

  get bytes(): number {
    return this.#bytes;
  }

  get isForgotten(): boolean {
    return this.#isForgotten;
  }

  /** `line` with its line break stands at the end of the file now; `body` is its record's. */
  add(line: Buffer, body: Buffer): void {
    if (this.#isForgotten) return;
    this.#bytes += line.length;
    if (this.digests.length >= MOST_RECORDS || this.#bytes > MOST_BYTES) {
      this.#isForgotten = true;
      this.digests.length = 0;
      return;
    }
    this.#sum = crc32(line, this.#sum);
    this.digests.push(digestOf(body));
  }

  /** The file's bytes; undefined where they are not those that were appended, or these are forgotten. Throws FileError. */
  read(path: string): Uint8Array | undefined {
    if (this.#isForgotten) return undefined;
    const bytes = new Uint8Array(this.#bytes + 1);
    const file = onFile(path, SAFE, () => openSync(path, "r"));
    try {
      const got = onFile(path, SAFE, () => readSync(file, bytes, 0, bytes.length, 0));
      const all = bytes.subarray(0, this.#bytes);
      return got === this.#bytes && crc32(all) === this.#sum ? all : undefined;
    } finally {
      closeSync(file);
    }
  }
}

/** The lines of a file that holds nothing yet are its own from now on. */
export function beginOwn(path: string): OwnLines {
  const own = new OwnLines();
  owns.set(path, own);
  for (const [oldest] of owns) if (owns.size > MOST_FILES) owns.delete(oldest);
  return own;
}

/** Of a file that others have written to. */
export function endOwn(path: string): void {
  owns.delete(path);
}

export const ownLines = (path: string): OwnLines | undefined => owns.get(path);

/** What a seal is made of. */
export const digestOf = (body: Buffer): string => hash("sha256", body, "base64");

const MOST_RECORDS = 1 << 14;
const MOST_BYTES = 12 * 2 ** 20;
const MOST_FILES = 16;
/** By path, those of runs whose end never came among them. */
const owns = new Map<string, OwnLines>();
