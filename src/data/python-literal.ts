import type { Json } from "../types/index.js";

/**
 * Reads a Python literal as `ast.literal_eval` does: strings, numbers, None, True, False, lists and dicts of them. Nothing is
 * executed. Undefined for anything else.
 */
export function pythonLiteral(text: string): Json | undefined {
  const reader = { text: text.trim(), at: 0 };
  try {
    const value = valueAt(reader);
    skipBlanks(reader);
    return reader.at === reader.text.length ? value : undefined;
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

class NoLiteral extends Error {}

interface Reader {
  readonly text: string;
  at: number;
}

const WORDS: Readonly<Record<string, Json>> = { None: null, True: true, False: false };

function valueAt(reader: Reader): Json {
  skipBlanks(reader);
  const sign = reader.text[reader.at];
  if (sign === "'" || sign === '"') return stringAt(reader, sign);
  if (sign === "[") return items(reader, "]", valueAt);
  if (sign === "{") return Object.fromEntries(items(reader, "}", entryAt));
  const word = /^(?:None|True|False|-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
    reader.text.slice(reader.at, reader.at + 40),
  )?.[0];
  if (word === undefined) throw new NoLiteral();
  reader.at += word.length;
  return word in WORDS ? WORDS[word]! : Number(word);
}

function entryAt(reader: Reader): [string, Json] {
  const key = valueAt(reader);
  skipBlanks(reader);
  if (typeof key !== "string" || reader.text[reader.at] !== ":") throw new NoLiteral();
  reader.at += 1;
  return [key, valueAt(reader)];
}

function items<T>(reader: Reader, end: string, item: (reader: Reader) => T): T[] {
  const found: T[] = [];
  reader.at += 1;
  for (;;) {
    skipBlanks(reader);
    if (reader.text[reader.at] === end) break;
    found.push(item(reader));
    skipBlanks(reader);
    if (reader.text[reader.at] === ",") reader.at += 1;
    else if (reader.text[reader.at] !== end) throw new NoLiteral();
  }
  reader.at += 1;
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ "\\": "\\", "'": "'", '"': '"', n: "\n", r: "\r", t: "\t", "\n": "", a: "\x07", b: "\b", f: "\f", v: "\v" },
};
const CODE_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function stringAt(reader: Reader, quote: string): string {
  const { text } = reader;
  let value = "";
  for (let at = reader.at + 1; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === quote) {
      reader.at = at + 1;
      return value;
    }
    if (sign === "\n") break;
    if (sign !== "\\") {
      value += sign;
      continue;
    }
    const letter = text[++at] ?? "";
    const digits = CODE_DIGITS[letter];
    if (digits === undefined) {
      value += ESCAPES[letter] ?? `\\${letter}`; // Python keeps the backslash of an escape that it does not know
      continue;
    }
    const code = Number.parseInt(text.slice(at + 1, at + 1 + digits), 16);
    if (Number.isNaN(code)) throw new NoLiteral();
    value += digits === 4 ? String.fromCharCode(code) : String.fromCodePoint(code);
    at += digits;
  }
  throw new NoLiteral();
}

function skipBlanks(reader: Reader): void {
  while (/\s/.test(reader.text[reader.at] ?? "")) reader.at += 1;
}
