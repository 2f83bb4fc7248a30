import { calls } from "../disk/calls.js";
import { onFile } from "../disk/file-error.js";
import { checkedRecord, type Intact, recordsWithin, uncheckedRecord } from "./record-line.js";

/** Where a record's line stands, without its line break. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

/** A record of a journal file. */
export interface Frame extends Span, Intact {
  readonly kind: "record";
  /** As an editor counts. */
  readonly line: number;
}

/** Bytes of a journal file that belong to no intact record. */
export interface Damage extends Span {
  readonly kind: "damage";
  readonly line: number;
  readonly bytes: Buffer;
}

/** Behind the last line break: the record that a process was writing when it ended. */
export interface Unfinished extends Span {
  readonly kind: "unfinished";
  readonly line: number;
}

/** A file that is read whole and correctly, but is not one record a line. */
export interface Odd {
  readonly kind: "odd";
}

export type Found = Frame | Damage | Unfinished | Odd;

/** What can be said of a journal whose disk refuses something. */
export const SAFE = "every record that stands in it is safe";

/**
 * Everything in the open journal file of `path`, in file order. Line ends may have been changed (CRLF, CR). Damage never hides an
 * intact record beside it; only what stands behind the last line break and is no record counts as unfinished. Throws FileError.
 */
export function* scan(file: number, path: string): Generator<Found> {
  const reader = new LineReader();
  for (const { bytes, offset, line, ended } of lines(file, path)) yield* reader.read(bytes, offset, line, ended);
}

// --- internal ---

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const CHUNK_BYTES = 1 << 20;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

class LineReader {
  /** Lines of version 0.1.0 stand between blank lines: this tells them from a damaged line without its check. */
  #blankBefore = false;
  #anyChecked = false;

  *read(bytes: Buffer, offset: number, line: number, ended: boolean): Generator<Found> {
    let start = 0;
    let end = bytes.length;
    if (offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) start = BYTE_ORDER_MARK.length;
    while (end > start && bytes[end - 1] === RETURN) end -= 1;
    if (start === end) {
      this.#blankBefore = true;
      return;
    }
    const content = bytes.subarray(start, end);
    const span = { offset: offset + start, length: end - start, line };
    const record = checkedRecord(content) ?? this.#old(content);
    this.#anyChecked ||= record?.checked === true;
    this.#blankBefore = false;
    if (record !== undefined) {
      yield { kind: "record", ...span, ...record };
      if (!ended) yield { kind: "odd" };
    } else yield* this.#pieces(content, offset + start, line, ended);
  }

  #old(content: Buffer): Intact | undefined {
    return this.#blankBefore || !this.#anyChecked ? uncheckedRecord(content) : undefined;
  }

  *#pieces(content: Buffer, offset: number, line: number, ended: boolean): Generator<Found> {
    if (content.includes(RETURN)) {
      yield { kind: "odd" };
      let start = 0;
      for (let end = content.indexOf(RETURN); end !== -1; end = content.indexOf(RETURN, start)) {
        yield* this.read(content.subarray(start, end), offset + start, line, true);
        start = end + 1;
      }
      yield* this.read(content.subarray(start), offset + start, line, ended);
      return;
    }
    const stretches = recordsWithin(content);
    if (stretches.length > 1) yield { kind: "odd" };
    for (const [i, { start, end, record }] of stretches.entries()) {
      const span = { offset: offset + start, length: end - start, line };
      if (record !== undefined) {
        this.#anyChecked = true;
        yield { kind: "record", ...span, ...record };
      } else if (ended || i < stretches.length - 1)
        yield { kind: "damage", ...span, bytes: content.subarray(start, end) };
      else yield { kind: "unfinished", ...span };
    }
  }
}

/** The lines of a file without their newline; the last may have had none. Holds one line at a time. */
function* lines(file: number, path: string) {
  let pending: Buffer = Buffer.alloc(0);
  let base = 0;
  let line = 1;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const at = base + pending.length;
    const got = onFile(path, SAFE, () => calls().read(file, chunk, 0, CHUNK_BYTES, at));
    if (got === 0) break;
    const window = pending.length === 0 ? chunk.subarray(0, got) : Buffer.concat([pending, chunk.subarray(0, got)]);
    let start = 0;
    for (let end = window.indexOf(NEWLINE); end !== -1; end = window.indexOf(NEWLINE, start)) {
      yield { bytes: window.subarray(start, end), offset: base + start, line, ended: true };
      start = end + 1;
      line += 1;
    }
    pending = window.subarray(start);
    base += start;
  }
  if (pending.length > 0) yield { bytes: pending, offset: base, line, ended: false };
}
