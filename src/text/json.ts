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
