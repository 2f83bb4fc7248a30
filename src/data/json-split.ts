import { isAscii, isUtf8 } from "node:buffer";
import { UsageError } from "../errors.js";
import { countOf } from "../text/count.js";

/** One element of a JSON array in a file. */
export interface JsonRecord {
  /** 1-based. */
  readonly number: number;
  /** Byte offset of its first byte. */
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
  readonly value: unknown;
}

/** Cuts a JSON array that arrives in pieces into its elements, keeping no more than one element in memory. */
interface JsonSplitter {
  /** The elements that end in this piece. The piece may be reused afterwards. */
  feed(piece: Buffer): JsonRecord[];
  /** Checks that the text is complete. The value around the array: `{task, golds: []}`, or `[]` for a bare array. */
  end(): unknown;
}

export interface SplitSettings {
  /** Named in errors. */
  readonly file: string;
  /** The array may be this field of a top-level object instead of the whole text. */
  readonly field?: string;
  /** Largest element, bytes: it must fit in memory several times over. Default 64 MB. */
  readonly maxRecordBytes?: number;
}

/**
 * Source of the method: strings are skipped with Buffer.indexOf, brackets are counted outside strings, each element goes
 * through JSON.parse. All errors are UsageError with file, record number and byte offset.
 */
export function jsonSplitter(settings: SplitSettings): JsonSplitter {
  const { file, field } = settings;
  const maxBytes = settings.maxRecordBytes ?? 64 * 2 ** 20;
  const around: Buffer[] = []; // text outside the elements
  let kept: Buffer[] = []; // earlier pieces of the element that is being read
  let keptBytes = 0;
  let state: State = "start";
  let depth = 0;
  let inString = false;
  let backslashes = 0; // odd: the last byte of the previous piece escapes the next one
  let base = 0; // offset of the current piece in the file
  let number = 0;
  let offset = 0; // where the current element starts
  let closing = 0; // where the text behind the array starts in `around`

  const fail = (problem: string): never => {
    throw new UsageError(`${file}: ${problem}`);
  };

  /** The position behind the closing quote, or -1 when the string goes on in the next piece. */
  const skipString = (piece: Buffer, from: number): number => {
    for (let at = from; ; ) {
      const quote = piece.indexOf(QUOTE, at);
      const end = quote < 0 ? piece.length : quote;
      let first = end;
      while (first > at && piece[first - 1] === BACKSLASH) first--;
      const run = end - first + (first === at ? backslashes : 0);
      backslashes = quote < 0 ? run & 1 : 0;
      if (quote < 0) return -1;
      at = quote + 1;
      if ((run & 1) === 0) return at;
    }
  };

  /** Keeps a piece of the element that is being read. Of one that is too large only the size is kept, for the refusal. */
  const keep = (piece: Buffer): void => {
    keptBytes += piece.length;
    if (keptBytes <= maxBytes) kept.push(Buffer.from(piece));
    else kept = [];
  };

  const tooLarge = (bytes: number): void => {
    if (bytes > maxBytes)
      fail(
        `record ${number} at byte ${offset} has ${bytes} bytes, and at most ${maxBytes} are read; cut its texts (or is a bracket or quote missing?)`,
      );
  };

  /** Reads on in the current element. Its end (exclusive), or -1 when it goes on in the next piece. */
  const elementEnd = (piece: Buffer, from: number): number => {
    let at = from;
    while (at < piece.length) {
      if (inString) {
        at = skipString(piece, at);
        if (at < 0) return -1;
        inString = false;
        if (depth === 0) return at;
        continue;
      }
      const byte = piece[at]!;
      if (byte === QUOTE) inString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
      else if (depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY || isSpace(byte))) return at;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        depth--;
        if (depth <= 0) return at + 1;
      }
      at++;
    }
    return -1;
  };

  /** Reads up to the opening bracket of the array. The position behind it, or -1. */
  const openArray = (piece: Buffer): number => {
    around.push(Buffer.from(piece));
    const head = Buffer.concat(around);
    const start = afterMark(head);
    const first = afterSpace(head, start);
    if (first === head.length)
      return head.length > MAX_HEAD ? fail(`no JSON array in the first ${MAX_HEAD} bytes; ${EXPECTED}`) : -1;
    const opening = head[first] === OPEN_OBJECT && field !== undefined ? arrayOfField(head, first, field) : first;
    if (opening === "missing") return fail(`this is one JSON object without a "${field}" array; ${EXPECTED}`);
    if (opening === undefined) {
      if (head.length > MAX_HEAD) fail(`no "${field}" array in the first ${MAX_HEAD} bytes; ${EXPECTED}`);
      return -1;
    }
    if (head[opening] !== OPEN_ARRAY) return head.length < ENOUGH_TO_JUDGE ? -1 : fail(notArray(head, first, field));
    around.length = 0;
    around.push(head.subarray(start, opening + 1));
    state = "first";
    return opening + 1 - (head.length - piece.length);
  };

  const feed = (piece: Buffer): JsonRecord[] => {
    const records: JsonRecord[] = [];
    let at = 0;
    if (state === "start") {
      at = openArray(piece);
      if (at < 0) {
        base += piece.length;
        return records;
      }
    }
    while (at < piece.length) {
      if (state === "inside") {
        const end = elementEnd(piece, at);
        if (end < 0) {
          keep(piece.subarray(at));
          break;
        }
        tooLarge(keptBytes + end - at);
        const last = piece.subarray(at, end);
        const bytes = kept.length === 0 ? last : Buffer.concat([...kept, last]);
        records.push({ number, offset, length: bytes.length, value: parseRecord(bytes, file, number, offset) });
        kept = [];
        keptBytes = 0;
        state = "after";
        at = end;
        continue;
      }
      if (state === "closed") {
        around.push(Buffer.from(piece.subarray(at)));
        break;
      }
      const byte = piece[at]!;
      if (isSpace(byte)) at++;
      else if (state === "after" && byte === COMMA) {
        state = "next";
        at++;
      } else if (byte === CLOSE_ARRAY && state !== "next") {
        state = "closed";
        around.push(Buffer.from("]"));
        closing = around[0]!.length + 1;
        at++;
      } else if (state === "after" || byte === COMMA || byte === CLOSE_ARRAY) {
        fail(`unexpected "${String.fromCharCode(byte)}" at byte ${base + at}, behind record ${number}`);
      } else {
        state = "inside";
        number++;
        offset = base + at;
        depth = 0;
      }
    }
    base += piece.length;
    return records;
  };

  const end = (): unknown => {
    if (base === 0) fail("the file is empty");
    if (state === "start") {
      const head = Buffer.concat(around);
      const first = afterSpace(head, afterMark(head));
      fail(first === head.length ? `no JSON array in it; ${EXPECTED}` : notArray(head, first, field));
    }
    if (state === "inside") {
      tooLarge(keptBytes);
      fail(
        `truncated: the file ends at byte ${base} inside record ${number} (begun at byte ${offset}); download it again`,
      );
    }
    if (state !== "closed")
      fail(
        `truncated: the file ends at byte ${base} behind record ${number}, before the closing "]"; download it again`,
      );
    const text = Buffer.concat(around);
    try {
      return JSON.parse(text.toString("utf8"));
    } catch {
      const behind = text.toString("utf8", closing).trim();
      if (behind === "") return fail(`truncated: the file ends at byte ${base} before the last "}"; download it again`);
      const found = `found ${JSON.stringify(behind.slice(0, 20))}`;
      return fail(
        `trailing data behind the array of ${countOf(number, "record")}: ${found}; remove it or download the file again`,
      );
    }
  };

  return { feed, end };
}

/** The value of an element. Throws UsageError naming file, record and byte. */
function parseRecord(bytes: Buffer, file: string, number: number, offset: number): unknown {
  const where = `${file}: record ${number} at byte ${offset}`;
  const ascii = isAscii(bytes);
  if (!ascii && !isUtf8(bytes)) throw new UsageError(`${where} is not UTF-8 text; save the file as UTF-8`);
  try {
    return JSON.parse(bytes.toString(ascii ? "latin1" : "utf8"));
  } catch (error) {
    throw new UsageError(`${where} is not valid JSON (${reason(error)}); mend or download it again`);
  }
}

type State = "start" | "first" | "inside" | "after" | "next" | "closed";

const MAX_HEAD = 2 ** 20;
const ENOUGH_TO_JUDGE = 64; // bytes of head that tell HTML, gzip and other text apart

const reason = (error: unknown): string => (error instanceof Error ? error.message.slice(0, 90) : String(error));

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const EXPECTED = "expected a LaMP file, that is a JSON array of records";

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Where the text starts behind UTF-8 byte order marks: an editor may have put one before another's. */
function afterMark(head: Buffer, from = 0): number {
  const isMark = head[from] === 0xef && head[from + 1] === 0xbb && head[from + 2] === 0xbf;
  return isMark ? afterMark(head, from + 3) : from;
}

/** The first byte from `from` on that is no space. */
function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at]!)) at++;
  return at;
}

/** Where the array of a top-level field opens in `head`; undefined when `head` ends before, "missing" when the object has none. */
function arrayOfField(head: Buffer, from: number, field: string): number | "missing" | undefined {
  let depth = 0;
  let key: string | undefined;
  for (let at = from; at < head.length; at++) {
    const byte = head[at]!;
    if (byte === QUOTE) {
      let close = at + 1;
      while (close < head.length && head[close] !== QUOTE) close += head[close] === BACKSLASH ? 2 : 1;
      if (close >= head.length) return undefined;
      if (depth === 1) key = head.toString("utf8", at + 1, close);
      at = close;
    } else if (byte === OPEN_ARRAY && depth === 1 && key === field) return at;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth--;
      if (depth === 0) return "missing";
    }
  }
  return undefined;
}

/** Says what stands there instead of an array. `first` is the first byte that is no space. */
function notArray(head: Buffer, first: number, field: string | undefined): string {
  const text = head.toString("latin1", first, first + 60);
  if (text.startsWith("<"))
    return "this is an HTML page, not JSON (the download site answers wrong paths so); download it again with: lamp-eval data download";
  if (head[0] === 0x1f && head[1] === 0x8b) return "this is a gzip file; unpack it with gunzip first";
  if (head[0] === 0xff || head[0] === 0xfe || head.includes(0)) return "this is not UTF-8 text; save the file as UTF-8";
  const kinds = field === undefined ? "" : ` (or an object with "${field}")`;
  return `not a JSON array${kinds}: it begins with ${JSON.stringify(text.slice(0, 20))}; ${EXPECTED}`;
}
