import { isAscii, isUtf8 } from "node:buffer";
import { afterMark, afterSpace, arrayOfField, CLOSE_ARRAY, OPEN_ARRAY, OPEN_OBJECT } from "./json-head.js";

/** A JSON array with what stands around it, as `jsonSplitter` finds both. */
interface WholeArray {
  readonly values: readonly unknown[];
  readonly around: unknown;
}

/**
 * The array of a whole text, parsed in one go. The bracket that opens it is found as the splitter finds it; that the last bracket
 * of the text closes it, JSON.parse tells. Undefined where the text is not right in any way: `jsonSplitter` says in which.
 */
export function arrayIn(bytes: Buffer, field: string | undefined): WholeArray | undefined {
  const ascii = isAscii(bytes);
  if (!ascii && !isUtf8(bytes)) return undefined;
  const textOf = (from: number, to: number): string => bytes.toString(ascii ? "latin1" : "utf8", from, to);
  const head = bytes.subarray(0, HEAD);
  const start = afterMark(head);
  const first = afterSpace(head, start);
  const opening = head[first] === OPEN_OBJECT && field !== undefined ? arrayOfField(head, first, field) : first;
  const close = bytes.lastIndexOf(CLOSE_ARRAY);
  if (typeof opening !== "number" || bytes[opening] !== OPEN_ARRAY || close <= opening) return undefined;
  try {
    const around: unknown = JSON.parse(textOf(start, opening + 1) + textOf(close, bytes.length));
    const values: unknown = JSON.parse(textOf(opening, close + 1));
    return Array.isArray(values) ? { values, around } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

const HEAD = 2 ** 16;
