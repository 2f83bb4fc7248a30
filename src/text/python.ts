/** Python's own whitespace (DATA 2): JavaScript's \s lacks 1C-1F and 85 and wrongly has FEFF. */
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const BLANK = new RegExp(`[${SPACE}]`);
const TOKEN = new RegExp(`[^${SPACE}]+`, "g");

/** Python `str.strip()`. */
export function pyStrip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

/** Python `str.split()`: runs of whitespace separate, no empty tokens. */
export function pySplit(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** Most characters are printed ASCII and need no expression. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return !(code > 0x20 && code < 0x7f) && BLANK.test(text[at]!);
}

/**
 * Python `str()` of a JSON value: `None`, `True`, `['a', 1]`. JSON's `1` and `1.0` cannot be told apart here, both give `1`.
 * Needed because the official scorer compares `str(output)`: the list `[1]` reads as the label `[1]`.
 */
export function pythonStr(value: unknown): string {
  return typeof value === "string" ? value : pythonRepr(value);
}

function pythonRepr(value: unknown): string {
  if (typeof value === "string") return `'${value.replace(/['\\]/g, "\\$&")}'`;
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value).map(([key, part]) => `${pythonRepr(key)}: ${pythonRepr(part)}`);
    return `{${entries.join(", ")}}`;
  }
  return String(value);
}

const DIGITS = "[0-9](?:_?[0-9])*";
const NUMBER = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`);
const WORD = /^([+-]?)(inf|infinity|nan)$/i;
const ASCII = /^[\t-~]*$/;
const DECIMAL = /^\p{Nd}$/u;

/**
 * Python `float(text.strip())`: its grammar with `_` between digits, `nan`, `inf`, digits of any script.
 * Undefined where Python raises ValueError. Source: https://docs.python.org/3/library/functions.html#float
 */
export function parsePythonFloat(text: string): number | undefined {
  const plain = inAsciiDigits(pyStrip(text));
  if (NUMBER.test(plain)) return Number(plain.replaceAll("_", ""));
  const word = WORD.exec(plain);
  if (word === null) return undefined;
  if (word[2]!.toLowerCase() === "nan") return Number.NaN;
  return word[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Most texts have no other digits, and ratings are read a million times. */
const inAsciiDigits = (text: string): string => (ASCII.test(text) ? text : text.replace(/\p{Nd}/gu, asciiDigit));

/** Unicode encodes decimal digits as runs of whole tens, so a digit's value is its distance from its run's start. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  if (code < 0x80) return digit;
  let start = code;
  while (DECIMAL.test(String.fromCodePoint(start - 1))) start--;
  return String((code - start) % 10);
}
