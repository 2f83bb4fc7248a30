import { closeSync, openSync, readSync } from "node:fs";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "../../data/json-split.js";

/** A text of a file of JSON or JSON lines, or a line of any other. */
interface LargeCell {
  /** `golds[3]: "output"`, `line 3: "output"` or `line 3`. */
  readonly place: string;
  readonly bytes: number;
}

/**
 * The first text of more than `most` bytes in a file of JSON or JSON lines; the first such line of any other file. Holds one piece,
 * whatever the size. Throws the system's refusal to read.
 */
export function largeCell(file: string, most: number): LargeCell | undefined {
  const handle = openSync(file, "r");
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let scan: Scan | undefined;
    for (let got = readSync(handle, piece); got > 0; got = readSync(handle, piece)) {
      const read = piece.subarray(0, got);
      scan ??= isJson(read) ? jsonScan(most) : lineScan(most);
      const found = scan.feed(read);
      if (found !== undefined) return found;
    }
    return scan?.end();
  } finally {
    closeSync(handle);
  }
}

const PIECE_BYTES = 1 << 20;
const LINE_FEED = 0x0a;
const COLON = 0x3a;
const MARK = [0xef, 0xbb, 0xbf]; // UTF-8 byte order mark
/** Of a name that is told. */
const MOST_SHOWN = 40;

interface Scan {
  feed(piece: Buffer): LargeCell | undefined;
  end(): LargeCell | undefined;
}

function isJson(head: Buffer): boolean {
  const first = head.find((byte) => !isSpace(byte) && !MARK.includes(byte));
  return first === OPEN_ARRAY || first === OPEN_OBJECT;
}

function lineScan(most: number): Scan {
  let [line, bytes] = [1, 0];
  const end = (): LargeCell | undefined => (bytes > most ? { place: `line ${line}`, bytes } : undefined);
  const feed = (piece: Buffer): LargeCell | undefined => {
    for (let at = 0; ; ) {
      const next = piece.indexOf(LINE_FEED, at);
      bytes += (next < 0 ? piece.length : next) - at;
      if (next < 0) return undefined;
      if (bytes > most) return end();
      [line, bytes, at] = [line + 1, 0, next + 1];
    }
  };
  return { feed, end };
}

/** An object with its latest name, or an array with the number of its element. */
interface Open {
  readonly isArray: boolean;
  name: string;
  index: number;
}

function jsonScan(most: number): Scan {
  const open: Open[] = [];
  let line = 1;
  let inText = false;
  let escaped = false;
  let bytes = 0; // of the text that is read
  let text = ""; // its first letters

  const end = (): LargeCell | undefined => (bytes > most ? { place: placeOf(open, line), bytes } : undefined);

  /** A byte within quotes. Whether the text ends there. */
  const readText = (byte: number): boolean => {
    if (byte === QUOTE && !escaped) return true;
    escaped = byte === BACKSLASH && !escaped;
    if (++bytes <= MOST_SHOWN) text += String.fromCharCode(byte);
    return false;
  };

  const readMark = (byte: number): void => {
    const inner = open.at(-1);
    if (byte === QUOTE) [inText, bytes, text] = [true, 0, ""];
    else if (byte === COLON && inner !== undefined) inner.name = text;
    else if (byte === COMMA && inner !== undefined) [inner.name, inner.index] = ["", inner.index + 1];
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT)
      open.push({ isArray: byte === OPEN_ARRAY, name: "", index: 0 });
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) open.pop();
    else if (byte === LINE_FEED) line += 1;
  };

  const feed = (piece: Buffer): LargeCell | undefined => {
    const nextSign = signsOf(piece);
    for (let at = 0; at < piece.length; at++) {
      if (inText && !escaped && bytes >= MOST_SHOWN) {
        const next = nextSign(at);
        bytes += next - at;
        at = next;
        if (at === piece.length) break;
      }
      if (!inText) readMark(piece[at]!);
      else if (readText(piece[at]!)) {
        if (bytes > most) return end();
        inText = false;
      }
    }
    return undefined;
  };
  return { feed, end };
}

/** Finds the next quote or backslash from a place on, or the end of the piece; places are asked for in order. None is passed twice. */
function signsOf(piece: Buffer): (from: number) => number {
  const find = (sign: number, from: number): number => {
    const found = piece.indexOf(sign, from);
    return found < 0 ? piece.length : found;
  };
  let [quote, slash] = [-1, -1];
  return (from) => {
    if (quote < from) quote = find(QUOTE, from);
    if (slash < from) slash = find(BACKSLASH, from);
    return Math.min(quote, slash);
  };
}

function placeOf(open: readonly Open[], line: number): string {
  const [outer, inner] = open;
  const listed = outer?.isArray === true ? outer : inner?.isArray === true ? inner : undefined;
  const place = listed === undefined ? `line ${line}` : `${listed === inner ? outer?.name : ""}[${listed.index}]`;
  const name = open.at(-1)?.name ?? "";
  return name === "" ? place : `${place}: "${name}"`;
}
