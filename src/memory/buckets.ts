import { type Counted, counted } from "../registry/options.js";
import type { Event } from "../types/index.js";

/** Events that are summarized together (a day of MemoryBank). */
export interface Bucket {
  /** A date, a session, a span `2015-01..2015-03`, `events 1-20`, or `undated`. */
  readonly name: string;
  readonly events: readonly Event[];
}

/** Names the bucket of events without date and session. */
export const UNDATED = "undated";
/** Most buckets that a history starts with. Ours: MemoryBank and SAGE take all days. */
export const MAX_BUCKETS = 24;

/**
 * Cuts a history into buckets, oldest first: by `date`, `month`, `year` or `chunk` (of `by.count` events); an event without a date is
 * in that of its session, else in `undated`. More than `maxBuckets` of them: the oldest become one. `before`: how many events stand before these, for the names of chunks.
 */
export function bucketsOf(history: readonly Event[], by: Counted, maxBuckets: number, before = 0): Bucket[] {
  const buckets =
    by.kind === "chunk" ? chunks(history, Math.ceil(by.count), before) : byDate(history, DATE_CHARS[by.kind] ?? 10);
  const surplus = buckets.length - maxBuckets;
  if (surplus <= 0) return buckets;
  return [mergeBuckets(buckets.slice(0, surplus + 1)), ...buckets.slice(surplus + 1)];
}

/** Makes the option that says how a history is cut. */
export const bucketOption = (help: string) =>
  counted({ default: "date", plain: ["date", "month", "year"], counted: ["chunk"], help });

/** Characters of `YYYY-MM-DD` that name a bucket. */
const DATE_CHARS: Readonly<Record<string, number>> = { date: 10, month: 7, year: 4 };

function byDate(history: readonly Event[], chars: number): Bucket[] {
  const groups = new Map<string, Event[]>();
  for (const event of history) {
    const name = event.date?.slice(0, chars) ?? (event.session === undefined ? UNDATED : `session ${event.session}`);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [event]);
    else group.push(event);
  }
  return [...groups].map(([name, events]) => ({ name, events }));
}

function chunks(history: readonly Event[], size: number, before: number): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = 0; start < history.length; start += size) {
    const events = history.slice(start, start + size);
    buckets.push({ name: `events ${before + start + 1}-${before + start + events.length}`, events });
  }
  return buckets;
}

function mergeBuckets(buckets: readonly Bucket[]): Bucket {
  const first = buckets[0]?.name ?? UNDATED;
  const last = buckets.at(-1)?.name ?? UNDATED;
  return { name: first === last ? first : `${first}..${last}`, events: buckets.flatMap(({ events }) => events) };
}

/** Buckets that events are added to, as in prequential mode. */
interface AppendableBuckets {
  /** Oldest first. A bucket that got no event since the last call is equal to what it was. */
  all(): readonly Bucket[];
  add(event: Event): void;
}

/**
 * The buckets of `bucketsOf`, open at their end. What was merged into the oldest bucket at the start stays merged, and no
 * further ones are: an event that is added changes one bucket, or makes one.
 */
export function appendableBuckets(history: readonly Event[], by: Counted, maxBuckets: number): AppendableBuckets {
  const [oldest] = bucketsOf(history, by, maxBuckets);
  const isCut = bucketsOf(history, by, Number.POSITIVE_INFINITY).length > maxBuckets;
  const head = isCut && oldest !== undefined ? [oldest] : [];
  const mergedEvents = new Set(head.flatMap(({ events }) => events));
  const rest = history.filter((event) => !mergedEvents.has(event));
  return {
    all: () => [...head, ...bucketsOf(rest, by, Number.POSITIVE_INFINITY, mergedEvents.size)],
    add: (event) => void rest.push(event),
  };
}
