import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** A line that is not blank, and its number as an editor counts. */
interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/**
 * The filled lines of a file, without a byte order mark; none where there is no such file. Line ends may have been changed: lines
 * between lone CRs have the number of the line that an editor shows them in. Holds one line at a time.
 */
export function* numberedLines(path: string): Generator<NumberedLine> {
  const file = opened(path);
  if (file === undefined) return;
  try {
    let pending: Buffer = Buffer.alloc(0);
    let line = 1;
    for (let chunk = read(file); chunk.length > 0; chunk = read(file)) {
      const window = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      let start = 0;
      for (let end = window.indexOf(NEWLINE); end !== -1; end = window.indexOf(NEWLINE, start)) {
        if (end > start) yield* pieces(line, window.toString("utf8", start, end));
        start = end + 1;
        line += 1;
      }
      pending = window.subarray(start);
    }
    if (pending.length > 0) yield* pieces(line, pending.toString("utf8"));
  } finally {
    closeSync(file);
  }
}

function* pieces(line: number, whole: string): Generator<NumberedLine> {
  const text = line === 1 && whole.startsWith("\ufeff") ? whole.slice(1) : whole;
  for (const piece of text.split("\r")) if (piece !== "") yield { line, text: piece };
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function read(file: number): Buffer {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  return chunk.subarray(0, readSync(file, chunk, 0, CHUNK_BYTES, null));
}
