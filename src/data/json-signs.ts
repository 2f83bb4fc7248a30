import { BACKSLASH, QUOTE } from "./json-head.js";

/** Signs in texts of JSON, by their bytes. */

/** Signs behind a backslash that JSON.stringify writes so too. */
export const SAME_ESCAPE = new Uint8Array(256);
for (const sign of Buffer.from('"\\bfnrt')) SAME_ESCAPE[sign] = 1;

/** The first quote from `from` on; -1: none. */
export function nextQuote(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + NEAR);
  for (let at = from; at < near; at++) if (bytes[at] === QUOTE) return at;
  return bytes.indexOf(QUOTE, near);
}

/** Whether a byte is below 0x20; sixteen are looked at at once. */
export function hasControls(bytes: Uint8Array): boolean {
  const from = (4 - (bytes.byteOffset & 3)) & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, (Math.max(0, bytes.length - from) >> 4) << 2);
  let found = 0;
  for (let i = 0; i < words.length; i += 4) {
    const a = words[i]!;
    const b = words[i + 1]!;
    const c = words[i + 2]!;
    const d = words[i + 3]!;
    found |= ((a - SPACES) & ~a) | ((b - SPACES) & ~b) | ((c - SPACES) & ~c) | ((d - SPACES) & ~d);
  }
  const isControl = (byte: number): boolean => byte < SPACE;
  const edges = [...bytes.subarray(0, from), ...bytes.subarray(from + 4 * words.length)];
  return (found & 0x80808080) !== 0 || edges.some(isControl);
}

/** The bytes of an escape by number, of two that are one sign; -1 for a control sign, half a sign, and what is no number. */
export function signLength(bytes: Uint8Array, at: number): number {
  const code = fourDigits(bytes, at + 2);
  if (code < SPACE) return -1;
  if (code < 0xd800 || code > 0xdfff) return 6;
  if (code > 0xdbff || bytes[at + 6] !== BACKSLASH || bytes[at + 7] !== LETTER_U) return -1;
  const low = fourDigits(bytes, at + 8);
  return low >= 0xdc00 && low <= 0xdfff ? 12 : -1;
}

/** Writes the sign whose escape by number stands `at`, and has a length, as JSON.stringify does. Where it ends. */
export function writeSign(bytes: Uint8Array, at: number, out: Uint8Array, to: number): number {
  const code = fourDigits(bytes, at + 2);
  let end = to;
  if (code === QUOTE || code === BACKSLASH) out[end++] = BACKSLASH;
  if (code < 0x80) {
    out[end++] = code;
  } else if (code < 0x800) {
    out[end++] = 0xc0 | (code >> 6);
    out[end++] = 0x80 | (code & 63);
  } else if (code < 0xd800 || code > 0xdfff) {
    out[end++] = 0xe0 | (code >> 12);
    out[end++] = 0x80 | ((code >> 6) & 63);
    out[end++] = 0x80 | (code & 63);
  } else {
    const whole = 0x10000 + ((code - 0xd800) << 10) + (fourDigits(bytes, at + 8) - 0xdc00);
    out[end++] = 0xf0 | (whole >> 18);
    out[end++] = 0x80 | ((whole >> 12) & 63);
    out[end++] = 0x80 | ((whole >> 6) & 63);
    out[end++] = 0x80 | (whole & 63);
  }
  return end;
}

const SPACE = 0x20;
/** Bytes that a loop looks at before a call does, which takes longer to begin: names, ids, dates and labels are shorter. */
const NEAR = 24;
const SPACES = 0x20202020;
const LETTER_U = 0x75;

/** -1 where it is no digit. */
const DIGITS = new Int8Array(256).fill(-1);
for (const [i, digit] of Buffer.from("0123456789abcdef").entries()) DIGITS[digit] = i;
for (const [i, digit] of Buffer.from("ABCDEF").entries()) DIGITS[digit] = 10 + i;

/** Negative where these are not four digits. */
const fourDigits = (bytes: Uint8Array, at: number): number =>
  (DIGITS[bytes[at]!]! << 12) |
  (DIGITS[bytes[at + 1]!]! << 8) |
  (DIGITS[bytes[at + 2]!]! << 4) |
  DIGITS[bytes[at + 3]!]!;
