import { crc32 } from "node:zlib";

/**
 * A line of a journal is a JSON object whose last member, `"#":"<bytes>:<crc32>"`, is the length and the CRC-32 (8 hex
 * digits) of the record's bytes before that member.
 */
export interface Intact {
  /** The record's JSON without its check and without its closing brace. */
  readonly body: Buffer;
}

/** The line of a record, its line break included. Throws TypeError on what is no object. */
export const recordLine = (record: object): Buffer => writtenLine(record).line;

/** The line of a record, its line break included, with the body in it. Throws TypeError on what is no object. */
export function writtenLine(record: object): { readonly line: Buffer; readonly body: Buffer } {
  const text = JSON.stringify(record);
  if (!text?.startsWith("{")) throw new TypeError("a record is an object");
  const bytes = Buffer.byteLength(text) - 1; // without its closing brace, which the check writes over
  const line = Buffer.allocUnsafe(bytes + checkLength(bytes) + 1);
  line.write(text, "utf8");
  const body = line.subarray(0, bytes);
  line.write(checkOf(body), bytes, "latin1");
  return { line, body };
}

/** The line of a record whose body is known, its line break included. */
export function lineOf(body: Buffer): Buffer {
  return Buffer.concat([body, Buffer.from(checkOf(body), "latin1")]);
}

/** The record of a body. */
export function recordOf<T>(body: Buffer): T {
  return JSON.parse(`${body.toString("utf8")}}`) as T;
}

/** The record in a line without its line break, where the line's own check holds. */
export function checkedRecord(line: Buffer): Intact | undefined {
  let at = line.length - 1;
  if (line[at] !== CLOSE || line[at - 1] !== QUOTE) return undefined;
  const sum = hexIn(line, at - 1 - SUM_DIGITS, at - 1);
  at -= SUM_DIGITS + 2;
  if (sum < 0 || line[at] !== COLON) return undefined;
  let bytes = 0;
  const last = at - 1;
  for (let scale = 1; isDigit(line[at - 1]) && last - at < MOST_DIGITS - 1; scale *= 10)
    bytes += (line[--at]! - ZERO) * scale;
  if (at > last || line[at - 1] !== QUOTE || line[at - 2] !== COLON) return undefined;
  if (line[at - 3] !== QUOTE || line[at - 4] !== HASH || line[at - 5] !== QUOTE) return undefined;
  const end = line[at - 6] === COMMA ? at - 6 : at - 5;
  if (end !== bytes || line[0] !== OPEN) return undefined;
  const body = line.subarray(0, end);
  return crc32(body) === sum ? { body } : undefined;
}

/** Whether a line, its line break not counted, is the one that this version writes for its body. */
export const isAsWritten = (line: Buffer, body: Buffer): boolean =>
  line.length === body.length + checkLength(body.length);

/** A stretch of a line: an intact record, or what belongs to none. */
type Stretch = { readonly start: number; readonly end: number; readonly record: Intact | undefined };

/** Finds intact records in a damaged line, e.g. where a line break was lost, by their checks. In order, without gaps. */
export function recordsWithin(line: Buffer): Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  for (const match of line.toString("latin1").matchAll(CHECK)) {
    const end = match.index + match[0].length;
    const start = match.index - Number(match[1]);
    if (start < from || !holds(line.subarray(start, match.index), match)) continue;
    if (start > from) found.push({ start: from, end: start, record: undefined });
    found.push({ start, end, record: { body: line.subarray(start, match.index) } });
    from = end;
  }
  if (from < line.length) found.push({ start: from, end: line.length, record: undefined });
  return found;
}

/** The object in a text; undefined where there is none. */
export function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const OPEN = 0x7b;
const CLOSE = 0x7d;
const CHECK = /,?"#":"(\d{1,12}):([0-9a-f]{8})"\}/g;
const SUM_DIGITS = 8;
const MOST_DIGITS = 12;
const ZERO = 0x30;
const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const HASH = 0x23;

/** Behind a body, with the closing brace and the line break. An empty object takes no comma. */
const checkOf = (body: Buffer): string =>
  `${body.length === 1 ? "" : ","}"#":"${body.length}:${crc32(body).toString(16).padStart(8, "0")}"}\n`;

const holds = (body: Buffer, [, bytes, sum]: RegExpMatchArray): boolean =>
  body[0] === OPEN && body.length === Number(bytes) && crc32(body) === Number.parseInt(sum ?? "", 16);

const checkLength = (bytes: number): number => (bytes === 1 ? 0 : 1) + String(bytes).length + SUM_DIGITS + 8;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= ZERO + 9;

/** A number in hexadecimal digits, small letters; -1 where other signs are among them. */
function hexIn(line: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const byte = line[at];
    if (isDigit(byte)) value = value * 16 + byte! - ZERO;
    else if (byte !== undefined && byte >= 0x61 && byte <= 0x66) value = value * 16 + byte - 0x57;
    else return -1;
  }
  return value;
}
