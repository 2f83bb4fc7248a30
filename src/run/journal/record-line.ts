import { crc32 } from "node:zlib";

/**
 * A line of a journal is a JSON object whose last member, `"#":"<bytes>:<crc32>"`, is the length and the CRC-32 (8 hex
 * digits) of the record's bytes before that member. Those bytes, without a closing brace, are the body of the line.
 */
export function recordLine(record: object): Buffer {
  const text = JSON.stringify(record);
  if (!text?.startsWith("{")) throw new TypeError("a record is an object");
  return lineOf(Buffer.from(text).subarray(0, -1));
}

/** The line of a body, its line break included. An empty object takes no comma. */
export function lineOf(body: Buffer): Buffer {
  const sum = crc32(body).toString(16).padStart(SUM_DIGITS, "0");
  return Buffer.concat([body, Buffer.from(`${body.length === 1 ? "" : ","}"#":"${body.length}:${sum}"}\n`, "latin1")]);
}

/** The record of a body. */
export function recordOf<T>(body: Buffer): T {
  return JSON.parse(`${body.toString("utf8")}}`) as T;
}

/** The body of a line without its line break, where the line's own check holds. */
export function bodyOf(line: Buffer): Buffer | undefined {
  const start = Math.max(0, line.length - MOST_CHECK);
  const match = CHECK_AT_END.exec(line.toString("latin1", start));
  if (match === null) return undefined;
  const body = line.subarray(0, start + match.index);
  return holds(body, match) ? body : undefined;
}

/** A stretch of a line: an intact record with its body, or what belongs to none. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly body: Buffer | undefined;
}

/** Finds intact records in a damaged line, e.g. where a line break was lost, by their checks. In order, without gaps. */
export function recordsWithin(line: Buffer): Stretch[] {
  const found: Stretch[] = [];
  let from = 0;
  for (const match of line.toString("latin1").matchAll(CHECK)) {
    const end = match.index + match[0].length;
    const start = match.index - Number(match[1]);
    const body = line.subarray(Math.max(0, start), match.index);
    if (start < from || !holds(body, match)) continue;
    if (start > from) found.push({ start: from, end: start, body: undefined });
    found.push({ start, end, body });
    from = end;
  }
  if (from < line.length) found.push({ start: from, end: line.length, body: undefined });
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
const SUM_DIGITS = 8;
const CHECK = /,?"#":"(\d{1,12}):([0-9a-f]{8})"\}/g;
const CHECK_AT_END = /,?"#":"(\d{1,12}):([0-9a-f]{8})"\}$/;
/** Of a check with the longest length. */
const MOST_CHECK = 30;

const holds = (body: Buffer, [, bytes, sum]: RegExpMatchArray): boolean =>
  body[0] === OPEN && body.length === Number(bytes) && crc32(body) === Number.parseInt(sum ?? "", 16);
