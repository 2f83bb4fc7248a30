import type { Json } from "../types/index.js";

/** Returns the value of a JSON text; undefined where it is none. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Tells whether a text is a JSON object. */
export function isJsonObject(text: string): boolean {
  const value = jsonIn(text);
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Values with more levels are nobody's reply and no file of ours, and would break whatever walks them later. */
const DEEPEST = 100;

/**
 * The value, then the values in it, then those in them, and so on: one list for each level, down to the deepest that is
 * allowed.
 */
export function* levelsOf(value: unknown): Generator<readonly unknown[]> {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0 && depth <= DEEPEST + 1; depth++) {
    yield level;
    level = level.flatMap((part) => (typeof part === "object" && part !== null ? Object.values(part) : []));
  }
}

/** Whether lists and objects of a parsed value stand in one another more than `DEEPEST` levels deep. */
export const isTooDeep = (value: unknown): boolean => hasLevel(value, DEEPEST + 1);

/** What is said of such a value. */
export const TOO_DEEP = `nested more than ${DEEPEST} levels deep`;

/** Whether some part stands so many levels below a value. Every reply is asked, so nothing is made on the way. */
function hasLevel(value: unknown, below: number): boolean {
  if (below === 0) return true;
  if (typeof value !== "object" || value === null) return false;
  for (const part of Object.values(value)) if (hasLevel(part, below - 1)) return true;
  return false;
}
