/** What the first bytes of a data file tell: where its array opens, or what it is instead. */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

export const EXPECTED = "expected a LaMP file, that is a JSON array of records";

export const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Where the text starts behind UTF-8 byte order marks: an editor may have put one before another's. */
export function afterMark(head: Buffer, from = 0): number {
  const isMark = head[from] === 0xef && head[from + 1] === 0xbb && head[from + 2] === 0xbf;
  return isMark ? afterMark(head, from + 3) : from;
}

/** The first byte from `from` on that is no space. */
export function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at]!)) at++;
  return at;
}

/** Where the array of a top-level field opens in `head`; undefined when `head` ends before, "missing" when the object has none. */
export function arrayOfField(head: Buffer, from: number, field: string): number | "missing" | undefined {
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
export function notArray(head: Buffer, first: number, field: string | undefined): string {
  const text = head.toString("latin1", first, first + 60);
  if (text.startsWith("<"))
    return "this is an HTML page, not JSON (the download site answers wrong paths so); download it again with: lamp-eval data download";
  if (head[0] === 0x1f && head[1] === 0x8b) return "this is a gzip file; unpack it with gunzip first";
  if (head[0] === 0xff || head[0] === 0xfe || head.includes(0)) return "this is not UTF-8 text; save the file as UTF-8";
  const kinds = field === undefined ? "" : ` (or an object with "${field}")`;
  return `not a JSON array${kinds}: it begins with ${JSON.stringify(text.slice(0, 20))}; ${EXPECTED}`;
}
