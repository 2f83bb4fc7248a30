import { type Counted, counted, integer } from "../registry/options.js";
import { pySplit } from "../text/python.js";
import type { Event } from "../types/index.js";

/** Events that are summarized together (a day of MemoryBank). */
export interface Bucket {
  /** `5 March 2014`, `January 2015 to March 2015`, `session 2`, `events 1 to 20`, or `undated`; behind it `, part 2` where one call cannot take all. */
  readonly name: string;
  readonly events: readonly Event[];
}

/** How a history is cut. */
export interface Cut {
  /** `date`, `month`, `year`, or `chunk` of `count` events. */
  readonly by: Counted;
  /** The oldest surplus becomes one bucket; 0: none does. */
  readonly most: number;
  /** Words of an event that summaries see; 0: all. */
  readonly maxWords: number;
}

/** Names the bucket of events without date and session. */
const UNDATED = "undated";
/** Most words of events that one summary is made of. Ours: MemoryBank cuts from the front when the context overflows. */
const PART_WORDS = 6000;

/** Returns whether a bucket's events have neither date nor session: its name tells a reader nothing. */
export const isUndated = (name: string): boolean => name.startsWith(UNDATED);

/** Cuts a history into buckets, oldest first; every event is in one. */
export const bucketsOf = (history: readonly Event[], cut: Cut): readonly Bucket[] =>
  appendableBuckets(history, cut).all();

/** Returns the name of the bucket of an event; `before`: how many events stand before it. */
export const bucketName = (event: Event, by: Counted, before: number): string =>
  periodsOf([event], by, before)[0]!.name;

/** Makes the option that says how a history is cut. */
export const bucketOption = (help: string) =>
  counted({ default: "date", plain: ["date", "month", "year"], counted: ["chunk"], whole: true, help });

/** Makes the option that limits the buckets of a history. */
export const maxBucketsOption = () =>
  integer({ default: 0, help: "most such groups: older events become one, which saves calls; 0: no limit" });

function periodsOf(history: readonly Event[], by: Counted, before: number): Bucket[] {
  const groups = new Map<string, Event[]>();
  for (const [index, event] of history.entries()) {
    const name = by.kind === "chunk" ? chunkName(before + index, by.count) : periodOf(event, by.kind);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [event]);
    else group.push(event);
  }
  return [...groups].map(([name, events]) => ({ name, events }));
}

const chunkName = (index: number, size: number): string => {
  const start = index - (index % size);
  return size === 1 ? `event ${index + 1}` : `events ${start + 1} to ${start + size}`;
};

function periodOf({ date, session }: Event, kind: string): string {
  if (date === undefined) return session === undefined ? UNDATED : `session ${session}`;
  const [, year, month, day] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?/.exec(date) ?? [];
  if (year === undefined) return date;
  if (month === undefined || kind === "year") return year;
  const named = `${MONTHS[Number(month) - 1] ?? month} ${year}`;
  return day === undefined || kind === "month" ? named : `${Number(day)} ${named}`;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");

function merged(periods: readonly Bucket[]): Bucket {
  const [first, last] = [periods[0]!.name, periods.at(-1)!.name]; // two periods or more
  return { name: `${first} to ${last}`, events: periods.flatMap(({ events }) => events) };
}

/** Cuts a bucket that one summary cannot take into parts; the first keeps its name. */
function partsOf({ name, events }: Bucket, { maxWords }: Cut): Bucket[] {
  const parts: Event[][] = [];
  let left = 0;
  for (const event of events) {
    const words = pySplit(event.content).length;
    const size = maxWords === 0 ? words : Math.min(words, maxWords);
    const last = parts.at(-1);
    if (last === undefined || size > left) {
      parts.push([event]);
      left = PART_WORDS - size;
    } else {
      last.push(event);
      left -= size;
    }
  }
  return parts.map((part, index) => ({ name: index === 0 ? name : `${name}, part ${index + 1}`, events: part }));
}

/** Buckets that events are added to, as in prequential mode. */
interface AppendableBuckets {
  /** Oldest first. A bucket that got no event since the last call is equal to what it was. */
  all(): readonly Bucket[];
  add(event: Event): void;
}

/**
 * The buckets of a history, open at their end. What was merged into the oldest bucket at the start stays merged, and no
 * further ones are: an event that is added changes one bucket, or makes one.
 */
export function appendableBuckets(history: readonly Event[], cut: Cut): AppendableBuckets {
  const periods = periodsOf(history, cut.by, 0);
  const surplus = cut.most === 0 ? 0 : Math.max(0, periods.length - cut.most);
  const head = surplus === 0 ? [] : [merged(periods.slice(0, surplus + 1))];
  const mergedEvents = new Set(head.flatMap(({ events }) => events));
  const rest = history.filter((event) => !mergedEvents.has(event));
  return {
    all: () => [...head, ...periodsOf(rest, cut.by, mergedEvents.size)].flatMap((bucket) => partsOf(bucket, cut)),
    add: (event) => void rest.push(event),
  };
}
