import type { Json } from "../types/index.js";

/** Returns the value of a JSON text; undefined where it is none. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

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
