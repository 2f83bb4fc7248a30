import { createReadStream } from "node:fs";
import { UsageError } from "../../errors.js";
import { fileTrouble } from "../../text/file-trouble.js";

/** The first letter of a file that is no space; empty where there is none near its beginning. Throws UsageError. */
export async function firstLetter(file: string): Promise<string> {
  for await (const piece of piecesOf(file, HEAD_BYTES))
    return piece
      .toString("utf8")
      .replace(/^\uFEFF+/, "")
      .trimStart()
      .slice(0, 1);
  return "";
}

/**
 * The lines of a file, of any number, each with any end: `\n`, `\r\n`, `\r`. Throws UsageError where it cannot be read, and for a line of more than `most` bytes (64 MB), which would
 * take all memory, by its number.
 */
export async function* linesOf(file: string, most = 64 * 2 ** 20): AsyncGenerator<string> {
  const kept: Buffer[] = [];
  let [number, bytes] = [1, 0];
  const keep = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= most) kept.push(piece);
    else kept.length = 0;
  };
  const lines = (): string[] => {
    if (bytes > most) fail({ file, number }, `has ${bytes} bytes, and at most ${most} are read; cut its texts`);
    const found = Buffer.concat(kept).toString("utf8").replace(/\r$/, "").split("\r");
    [number, bytes, kept.length] = [number + found.length, 0, 0];
    return found;
  };
  for await (const piece of piecesOf(file)) {
    let at = 0;
    for (let next = piece.indexOf(LINE_FEED); next >= 0; next = piece.indexOf(LINE_FEED, at)) {
      keep(piece.subarray(at, next));
      yield* lines();
      at = next + 1;
    }
    keep(piece.subarray(at));
  }
  if (bytes > 0) yield* lines();
}

const HEAD_BYTES = 1 << 16;
const PIECE_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** The bytes of a file, up to so many. */
async function* piecesOf(file: string, most = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const stream = createReadStream(file, { highWaterMark: PIECE_BYTES, end: most - 1 });
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw new UsageError(`${file}: ${fileTrouble(error)}; check the path`);
  } finally {
    stream.destroy();
  }
}

/** Where a record stands, for messages. */
export interface RecordPlace {
  readonly file: string;
  /** From 1: the line of JSON Lines, the element of an array. */
  readonly number: number;
}

/** The object that a value is. Throws UsageError naming the place. */
export function objectAt(value: unknown, place: RecordPlace): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail(place, "expected an object in braces");
  return value as Readonly<Record<string, unknown>>; // looked at
}

/** The text of a field, without blanks around it. Throws UsageError naming place and field. */
export function textAt(record: Readonly<Record<string, unknown>>, field: string, place: RecordPlace): string {
  const value = record[field];
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return fail(place, `${field}: expected a text`);
}

export function fail({ file, number }: RecordPlace, what: string): never {
  throw new UsageError(`${file}: record ${number}: ${what}`);
}
