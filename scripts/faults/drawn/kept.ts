import { contentId } from "../../../src/text/content-id.js";
import type { Json } from "../../../src/types.js";

/** The same function, that keeps what it made of each value. */
export function kept<V extends Json, R>(make: (value: V) => Promise<R>): (value: V) => Promise<R> {
  const made = new Map<string, Promise<R>>();
  return (value) => {
    const key = contentId(value);
    const before = made.get(key) ?? make(value);
    made.set(key, before);
    return before;
  };
}
