import { calls } from "./calls.js";
import { onFile } from "./file-error.js";
import { PRIVATE_FILE, writeFully } from "./whole-file.js";

/**
 * A file that several processes add lines to at once, and read each other's lines from. Every line goes behind the last one in
 * one write (O_APPEND), so that the order of lines is the same for all who read. Holds on local disks; network file systems
 * may tear it. Open until `close`.
 */
export class SharedLog {
  readonly #path: string;
  readonly #file: number;
  /** Behind the last line that was read. */
  #read = 0;
  /** What was read of a line without its end. */
  #rest: Buffer = Buffer.alloc(0);

  /** Makes the file where there is none. Throws FileError. */
  constructor(path: string) {
    this.#path = path;
    this.#file = onFile(path, SAFE, () => calls().open(path, "a+", PRIVATE_FILE));
  }

  /** Adds a line, its line break included. One that a process has left without its end stays a line of its own. Throws FileError. */
  append(line: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? line : Buffer.concat([Buffer.from("\n"), line]);
    onFile(this.#path, SAFE, () => writeFully(this.#file, bytes));
  }

  /** Every line that came since the last call, in order, without line breaks. Throws FileError. */
  fresh(): Buffer[] {
    const lines: Buffer[] = [];
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const got = onFile(this.#path, SAFE, () => calls().read(this.#file, chunk, 0, CHUNK_BYTES, this.#read));
      if (got === 0) return lines;
      this.#read += got;
      let text = Buffer.concat([this.#rest, chunk.subarray(0, got)]);
      for (let end = endOfLine(text); end >= 0; end = endOfLine(text)) {
        if (end > 0) lines.push(text.subarray(0, end));
        text = text.subarray(end + 1);
      }
      this.#rest = text;
    }
  }

  /** Forces to the disk, and closes in every case. Throws FileError. */
  close(): void {
    try {
      onFile(this.#path, SAFE, () => calls().sync(this.#file));
    } finally {
      onFile(this.#path, SAFE, () => calls().close(this.#file));
    }
  }
}

const CHUNK_BYTES = 1 << 16;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Line ends may have been changed; JSON holds neither sign. */
const endOfLine = (text: Buffer): number => text.findIndex((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN);
const SAFE = "what stands in it is unchanged";
