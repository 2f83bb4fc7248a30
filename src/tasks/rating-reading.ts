import { parsePythonFloat } from "../text/float.js";
import { pyStrip } from "../text/python.js";
import type { Reading } from "../types.js";
import { answered, UNPARSED } from "./label-reading.js";
import { unwrap } from "./unwrap.js";

/** The official reading: Python's `float(text.strip())`, finite as a 32-bit float (else the scorer crashes). Source: LaMP eval/evaluation.py. */
export function number(reply: string): Reading {
  const text = pyStrip(reply);
  const value = parsePythonFloat(text);
  return value !== undefined && Number.isFinite(Math.fround(value)) ? answered(text) : UNPARSED;
}

/** The unwrapped reply where it is a number, else its first standalone 1 to 5: not the 4 of `4.5`, nor the 1 of `10`. */
export function namedScore(reply: string): Reading {
  const whole = number(unwrap(reply));
  if (whole.kind === "answer") return whole;
  const score = /(?<![\p{L}\p{N}.])[1-5](?![\p{L}\p{N}]|[.,]\d)/u.exec(unwrap(reply))?.[0];
  return score === undefined ? UNPARSED : answered(score);
}
