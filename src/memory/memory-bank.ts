import { dense } from "../retrievers/dense.js";
import { openSearch, type RecallContext, type WithSelector } from "../selectors/open.js";
import type { Event, Kit, Random } from "../types/index.js";
import { type Bucket, isUndated } from "./buckets.js";

export interface SummarizedBucket extends Bucket {
  /** MemoryBank's daily event summary. */
  readonly summary: string;
}

export interface BankSettings {
  readonly forgetting: Forgetting;
  /** `rank` orders by similarity x retention; `threshold` drops below `count`; `sample` keeps with probability = retention. */
  readonly rule: { readonly kind: string; readonly count: number };
  /** Recall makes a memory stronger and new. Answers then depend on the order of the questions. */
  readonly reinforce: boolean;
  /** One line about an event. */
  readonly show: (event: Event) => string;
  /** The options of a selector that chooses in place of the dense search, where they name one. */
  readonly selectorOptions: WithSelector;
}

interface BankHit {
  readonly bucket: string;
  /** Absent: the bucket's summary was hit. */
  readonly event?: Event;
  readonly text: string;
  readonly score: number;
}

interface MemoryBank {
  /** The best `k` memories (events and bucket summaries) as of `now`, best first. Without `now` nothing is forgotten. */
  recall(query: string, k: number, now: string | undefined, context: RecallContext): Promise<readonly BankHit[]>;
  /** Adds the events of a bucket that has no summary yet (MemoryBank summarizes a day when it is over). */
  add(bucket: Bucket): Promise<void>;
}

/** Indexes events and bucket summaries (MemoryBank, Zhong et al. 2024; METHODS 6). */
export async function memoryBank(
  buckets: readonly SummarizedBucket[],
  settings: BankSettings,
  unitKit: Kit,
): Promise<MemoryBank> {
  const random = unitKit.random("bank");
  const memories = buckets.flatMap((bucket) => memoriesOf(bucket, settings, random.fork("forget")));
  const search = await openMemories(memories, settings, unitKit);
  let known = memories.length;
  return {
    async add(bucket) {
      const added = memoriesOf({ ...bucket, summary: "" }, settings, random.fork("forget"));
      known += added.length;
      for (const memory of added) await search.add(memory);
    },
    async recall(query, k, now, context) {
      const found = await search(query, settings.forgetting === "off" ? k : known, context);
      const hits = found
        .filter(({ memory }) => isRemembered(memory, now, settings))
        .map(({ memory, score }) => ({ memory, score: score * rankWeight(memory, now, settings) }))
        .sort((a, b) => b.score - a.score) // stable: equal scores stay in search order
        .slice(0, k);
      if (settings.reinforce)
        for (const { memory } of hits) {
          memory.strength += 1;
          memory.lastRecall = now ?? memory.lastRecall;
        }
      return hits.map(({ memory, score }) => ({ ...memory, score }));
    },
  };
}

/** Formats hits as the model is shown them: bucket by bucket in the order of time, summaries first. */
export function formatHits(hits: readonly BankHit[], buckets: readonly Bucket[]): string {
  return buckets
    .map(({ name }) => ({ name, shown: hits.filter(({ bucket }) => bucket === name) }))
    .filter(({ shown }) => shown.length > 0)
    .map(({ name, shown }) => {
      const summary = shown.filter(({ event }) => event === undefined).map(({ text }) => `Summary: ${text}`);
      const lines = shown.filter(({ event }) => event !== undefined).map(({ text }) => text);
      return [isUndated(name) ? "Memories:" : `Memories of ${name}:`, ...summary, ...lines].join("\n");
    })
    .join("\n\n");
}

/** An event, or the summary of a bucket. */
interface Memory {
  readonly bucket: string;
  readonly event?: Event;
  readonly text: string;
  readonly date: string | undefined;
  /** A random number drawn once for each memory, so that what is forgotten stays forgotten. */
  readonly forgetDraw: number;
  /** The memories of a summary's events: it is forgotten once all of them are. Absent for events. */
  readonly eventMemories?: readonly Memory[];
  strength: number;
  lastRecall: string | undefined;
}

/** Opens the search over memories; summaries of buckets are found as events are. */
async function openMemories(memories: readonly Memory[], { selectorOptions }: BankSettings, unitKit: Kit) {
  const held = new Map<Event, Memory>();
  const eventOf = (memory: Memory): Event => {
    const event = memory.event ?? summaryEvent(memory);
    held.set(event, memory);
    return event;
  };
  const document = (event: Event) => {
    const { text, date } = held.get(event)!; // made by `eventOf`
    return { text, ...(date === undefined ? {} : { date }) };
  };
  const use = { own: dense, stream: "bank/search", document };
  const search = await openSearch(memories.map(eventOf), use, selectorOptions, unitKit);
  const find = async (query: string, k: number, context: RecallContext) =>
    (await search(query, k, context)).map(({ event, score }, rank) => ({
      memory: held.get(event)!, // chosen among these
      score: score ?? -rank,
    }));
  return Object.assign(find, { add: (memory: Memory) => search.add(eventOf(memory), unitKit) });
}

function memoriesOf(bucket: SummarizedBucket, { show }: BankSettings, random: Random): Memory[] {
  const newMemory = (text: string, date: string | undefined, streamLabel: string, rest: Partial<Memory>): Memory => ({
    bucket: bucket.name,
    text,
    date,
    forgetDraw: random.fork(streamLabel).next(),
    strength: 1,
    lastRecall: date,
    ...rest,
  });
  const eventMemories = bucket.events.map((event) => newMemory(show(event), event.date, event.id, { event }));
  if (bucket.summary === "") return eventMemories;
  return [
    ...eventMemories,
    newMemory(bucket.summary, bucket.events.at(-1)?.date, `summary ${bucket.name}`, { eventMemories }),
  ];
}

/** Days of one time unit of the forgetting curve: LaMP's gaps are months. MemoryBank: 1. */
const TIME_UNIT_DAYS = 30;

/** 1 where a date is missing: nothing says how old the memory is. */
function retentionOf(memory: Memory, now: string | undefined, { forgetting }: BankSettings): number {
  const days = daysBetween(memory.lastRecall, now);
  return days === undefined ? 1 : retention(forgetting, days / TIME_UNIT_DAYS, memory.strength);
}

function isRemembered(memory: Memory, now: string | undefined, settings: BankSettings): boolean {
  const { rule, forgetting } = settings;
  if (forgetting === "off" || rule.kind === "rank") return true;
  const { eventMemories } = memory;
  if (eventMemories !== undefined) return eventMemories.some((event) => isRemembered(event, now, settings));
  const left = retentionOf(memory, now, settings);
  return rule.kind === "threshold" ? left >= rule.count : memory.forgetDraw < left;
}

function rankWeight(memory: Memory, now: string | undefined, settings: BankSettings): number {
  return settings.rule.kind === "rank" ? retentionOf(memory, now, settings) : 1;
}

/** Builds a summary in the form of an event: it has no label. */
function summaryEvent({ bucket, text, date }: Memory): Event {
  const id = `summary of ${bucket}`;
  return { id, fields: { id }, content: text, document: text, ...(date === undefined ? {} : { date }) };
}

/** `paper`: MemoryBank's e^(-t/S). `released-bug`: its code's `math.exp(-t / 5*S)`, which is e^(-t*S/5). */
type Forgetting = "off" | "paper" | "released-bug";

/**
 * Returns the retention of a memory, 0..1 (Ebbinghaus curve, Zhong et al. 2024; METHODS 6.1). `elapsed` in time units,
 * `strength` starts at 1. The released formula has a precedence bug: there, strength makes forgetting faster.
 */
export function retention(forgetting: Forgetting, elapsed: number, strength: number): number {
  const exponent = { off: 0, paper: -elapsed / strength, "released-bug": (-elapsed / 5) * strength };
  return Math.exp(exponent[forgetting]);
}

/** Returns days from one `YYYY[-MM[-DD]]` date to another, never negative; undefined when one is missing or no date. */
export function daysBetween(from: string | undefined, to: string | undefined): number | undefined {
  const start = dayOf(from);
  const end = dayOf(to);
  return start === undefined || end === undefined ? undefined : Math.max(0, end - start);
}

const MS_PER_DAY = 86_400_000;

/** Days since 1970-01-01; a bare year or month is its first day. */
function dayOf(date: string | undefined): number | undefined {
  const parts = /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?/.exec(date ?? "");
  if (parts === null) return undefined;
  return Date.UTC(Number(parts[1]), Number(parts[2] ?? 1) - 1, Number(parts[3] ?? 1)) / MS_PER_DAY;
}
