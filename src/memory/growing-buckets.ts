import type { Counted } from "../options.js";
import type { Event } from "../types.js";
import { type Bucket, bucketsOf } from "./buckets.js";

/** Buckets that events are added to, as in prequential mode. */
interface GrowingBuckets {
  /** Oldest first. A bucket that got no event since the last call is equal to what it was. */
  all(): readonly Bucket[];
  add(event: Event): void;
}

/**
 * The buckets of `bucketsOf`, open at their end. What was merged into the oldest bucket at the start stays merged, and no
 * further ones are: an event that is added changes one bucket, or makes one.
 */
export function growingBuckets(history: readonly Event[], by: Counted, maxBuckets: number): GrowingBuckets {
  const [oldest] = bucketsOf(history, by, maxBuckets);
  const isCut = bucketsOf(history, by, Number.POSITIVE_INFINITY).length > maxBuckets;
  const head = isCut && oldest !== undefined ? [oldest] : [];
  const merged = new Set(head.flatMap(({ events }) => events));
  const rest = history.filter((event) => !merged.has(event));
  return {
    all: () => [...head, ...bucketsOf(rest, by, Number.POSITIVE_INFINITY, merged.size)],
    add: (event) => void rest.push(event),
  };
}
