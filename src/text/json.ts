import type { Json } from "../types/index.js";

/** Returns the value of a JSON text; undefined where it is none. */
export function jsonIn(text: string, parse: (text: string) => unknown = JSON.parse): Json | undefined {
  try {
    return parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON whose whole numbers may be 64-bit ids: one that a double does not hold becomes what `ofDigits` makes of its digits.
 * Throws SyntaxError. (In Node 20 a reviver does not see the text of a number.)
 */
export function parseWithIds(text: string, ofDigits: (digits: string) => unknown = String): unknown {
  const value: unknown = JSON.parse(text); // first, so that errors name places of the text itself
  if (!LONG.test(text)) return value;
  const marked = text.replace(STRING_OR_NUMBER, (part) => (isLongId(part) ? `"\\u0000${part}"` : part));
  return JSON.parse(marked, (_, part: unknown) =>
    typeof part === "string" && MARKED.test(part) ? ofDigits(part.slice(1)) : part,
  );
}

const LONG = /[0-9]{16}/;
const MARKED = /^\0-?[0-9]{16,}$/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][-+.0-9eE]*/g;

/** Tells whether the text of a number is a whole one that a double does not hold. */
export const isLongId = (number: string): boolean =>
  /^-?[0-9]{16,}$/.test(number) && !Number.isSafeInteger(Number(number));

/** Tells whether a value is an object with fields: no list, not null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Tells whether a text is a JSON object. */
export const isJsonObject = (text: string): boolean => isObject(jsonIn(text));

/** Values with more levels are nobody's reply and no file of ours, and would break whatever walks them later. */
const DEEPEST = 100;

/** Error text for such a value. */
export const TOO_DEEP = `nested more than ${DEEPEST} levels deep`;

/** Tells whether lists and objects of a parsed value stand in one another more than `DEEPEST` levels deep. */
export const isTooDeep = (value: unknown): boolean => holds(value, () => false, DEEPEST);

/** Tells whether a value, or a part of it at any depth, passes a test, or stands more than `levels` deep. */
export function holds(value: unknown, test: (part: unknown) => boolean, levels = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return test(value);
  if (levels === 0) return true;
  for (const part of Object.values(value)) if (holds(part, test, levels - 1)) return true;
  return false;
}

/** Without the members that have no value. */
export const defined = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as never;
