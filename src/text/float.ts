import { pyStrip } from "./python.js";

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
