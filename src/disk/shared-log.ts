import { closeSync, fsyncSync, openSync, readSync } from "node:fs";
import { onFile } from "./file-error.js";
import { PRIVATE_FILE, writeFully } from "./whole-file.js";

/**
 * A file that several processes append lines to at once, and read each other's lines from. Every line goes behind the last one in
 * one write (O_APPEND), so that the order of lines is the same for all readers. Holds on local disks, not on network file systems.
 */
export class SharedLog {
  readonly #path: string;
  readonly #file: number;
  /** Behind the last line that was read. */
  #read = 0;

  /** Makes the file where there is none. Throws FileError. */
  constructor(path: string) {
    this.#path = path;
    this.#file = onFile(path, SAFE, () => openSync(path, "a+", PRIVATE_FILE));
  }

  /** Adds a line, its line break included. Throws FileError. */
  append(line: Uint8Array): void {
    onFile(this.#path, SAFE, () => writeFully(this.#file, line));
  }

  /** Every line that came since the last call, in order, without line breaks; a last one without its end as it is. Throws FileError. */
  fresh(): { readonly lines: readonly Buffer[]; readonly rest: boolean } {
    let text: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const at = this.#read + text.length;
      const got = onFile(this.#path, SAFE, () => readSync(this.#file, chunk, 0, CHUNK_BYTES, at));
      if (got === 0) break;
      text = Buffer.concat([text, chunk.subarray(0, got)]);
    }
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = text.indexOf(LINE_FEED); end >= 0; end = text.indexOf(LINE_FEED, start)) {
      lines.push(text.subarray(start, end));
      start = end + 1;
    }
    this.#read += start;
    return { lines, rest: start < text.length };
  }

  /** Forces to the disk, and closes in every case. Throws FileError. */
  close(): void {
    try {
      onFile(this.#path, SAFE, () => fsyncSync(this.#file));
    } finally {
      onFile(this.#path, SAFE, () => closeSync(this.#file));
    }
  }
}

const CHUNK_BYTES = 1 << 16;
const LINE_FEED = 0x0a;
const SAFE = "what stands in it is unchanged";
