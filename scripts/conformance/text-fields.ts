import type { RawItem } from "../../src/types/index.js";

/** A profile item of a vector as the data room hands items over: every scalar as text. */
export function textFields(item: Readonly<Record<string, unknown>>): RawItem {
  return { id: "", ...Object.fromEntries(Object.entries(item).map(([name, value]) => [name, String(value)])) };
}
