import { growingSearch } from "../retrievers/growing-search.js";
import { pySplit } from "../text/python.js";
import type { Embedder, Event, Random, Retriever, RetrieverDocument, RetrieverKit } from "../types.js";
import type { Bucket } from "./buckets.js";
import type { AskedFor } from "./episodic.js";
import { daysBetween, type Forgetting, retention } from "./forgetting.js";

export interface SummarizedBucket extends Bucket {
  /** What happened (MemoryBank's daily event summary). */
  readonly summary: string;
}

export interface BankSettings {
  readonly retriever: Retriever;
  readonly forgetting: Forgetting;
  readonly timeUnitDays: number;
  /** `rank` orders by similarity x retention; `threshold` drops below `count`; `sample` keeps with probability = retention. */
  readonly rule: { readonly kind: string; readonly count: number };
  /** Recall makes a memory stronger and new. Answers then depend on the order of the questions. */
  readonly reinforce: boolean;
  /** One line about an event. */
  readonly show: (event: Event) => string;
  /** Opens what searches in the retriever's place. Absent: the retriever does. */
  readonly open?: (memories: readonly BankMemory[]) => Promise<BankSearch>;
}

/** What is remembered: an event, or the summary of a bucket. */
export interface BankMemory {
  readonly bucket: string;
  readonly event?: Event;
  readonly text: string;
  readonly date: string | undefined;
}

/** Finds memories, best first, by their places. */
export interface BankSearch {
  (
    query: string,
    k: number,
    asked: AskedFor | undefined,
  ): Promise<readonly { readonly index: number; readonly score: number }[]>;
  add(memory: BankMemory): Promise<void>;
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
  recall(query: string, k: number, now: string | undefined, asked?: AskedFor): Promise<readonly BankHit[]>;
  /** Lets one more event in, in a bucket that has no summary yet (MemoryBank summarizes a day when it is over). */
  add(bucket: Bucket): Promise<void>;
}

/** Indexes events and bucket summaries (MemoryBank, Zhong et al. 2024; METHODS 6). */
export async function memoryBank(
  buckets: readonly SummarizedBucket[],
  settings: BankSettings,
  embedder: Embedder,
  random: Random,
): Promise<MemoryBank> {
  const memories = buckets.flatMap((bucket) => memoriesOf(bucket, settings, random.fork("forget")));
  const documentOf = ({ text, date }: Memory) => ({ text, ...(date === undefined ? {} : { date }) });
  const kit = () => ({ tokenize: pySplit, embedder, random: random.fork("search") });
  const search = await searchOf(memories, settings, documentOf, kit);
  let known = memories.length;
  return {
    async add(bucket) {
      const added = memoriesOf({ ...bucket, summary: "" }, settings, random.fork("forget"));
      known += added.length;
      for (const memory of added) await search.add(memory);
    },
    async recall(query, k, now, asked) {
      const found = await search(query, settings.forgetting === "off" ? k : known, asked);
      const hits = found
        .map(({ item, score }) => ({ memory: item, score }))
        .filter(({ memory }) => remembered(memory, now, settings))
        .map(({ memory, score }) => ({ memory, score: score * rankWeight(memory, now, settings) }))
        .sort((a, b) => b.score - a.score) // stable: equal scores stay in search order
        .slice(0, k);
      if (settings.reinforce) for (const { memory } of hits) reinforce(memory, now);
      return hits.map(({ memory: { bucket, event, text }, score }) => ({
        bucket,
        ...(event === undefined ? {} : { event }),
        text,
        score,
      }));
    },
  };
}

/** Hits as the model is shown them: bucket by bucket in the order of time, summaries first. */
export function shownHits(hits: readonly BankHit[], buckets: readonly Bucket[]): string {
  return buckets
    .map(({ name }) => ({ name, shown: hits.filter(({ bucket }) => bucket === name) }))
    .filter(({ shown }) => shown.length > 0)
    .map(({ name, shown }) => {
      const summary = shown.filter(({ event }) => event === undefined).map(({ text }) => `Summary: ${text}`);
      const lines = shown.filter(({ event }) => event !== undefined).map(({ text }) => text);
      return [`Memories of ${name}:`, ...summary, ...lines].join("\n");
    })
    .join("\n\n");
}

interface Memory extends BankMemory {
  /** A random number drawn once for each memory, so that what is forgotten stays forgotten. */
  readonly luck: number;
  /** Of a summary: the memories of its events. It is forgotten once all of them are. */
  readonly events?: readonly Memory[];
  strength: number;
  lastRecall: string | undefined;
}

interface FoundMemory {
  readonly item: Memory;
  readonly score: number;
}

/** A search whose hits are memories, by the retriever or by what stands in its place. */
async function searchOf(
  memories: readonly Memory[],
  { retriever, open }: BankSettings,
  documentOf: (memory: Memory) => RetrieverDocument,
  kit: () => RetrieverKit,
) {
  if (open === undefined) {
    const search = await growingSearch(retriever, memories, documentOf, kit());
    const found = (query: string, k: number, _asked: AskedFor | undefined): Promise<readonly FoundMemory[]> =>
      search(query, k);
    return Object.assign(found, { add: (memory: Memory) => search.add(memory, kit()) });
  }
  const all = [...memories];
  const search = await open(memories);
  const found = async (query: string, k: number, asked: AskedFor | undefined): Promise<readonly FoundMemory[]> =>
    (await search(query, k, asked)).map(({ index, score }) => ({ item: all[index]!, score }));
  return Object.assign(found, {
    add: async (memory: Memory) => {
      all.push(memory);
      await search.add(memory);
    },
  });
}

function memoriesOf(bucket: SummarizedBucket, { show }: BankSettings, random: Random): Memory[] {
  const remember = (text: string, date: string | undefined, luck: string, rest: Partial<Memory>): Memory => ({
    bucket: bucket.name,
    text,
    date,
    luck: random.fork(luck).next(),
    strength: 1,
    lastRecall: date,
    ...rest,
  });
  const events = bucket.events.map((event) => remember(show(event), event.date, event.id, { event }));
  if (bucket.summary === "") return events;
  return [...events, remember(bucket.summary, bucket.events.at(-1)?.date, `summary ${bucket.name}`, { events })];
}

/** 1 where a date is missing: nothing says how old the memory is. */
function retentionOf(memory: Memory, now: string | undefined, { forgetting, timeUnitDays }: BankSettings): number {
  const days = daysBetween(memory.lastRecall, now);
  return days === undefined ? 1 : retention(forgetting, days / timeUnitDays, memory.strength);
}

function remembered(memory: Memory, now: string | undefined, settings: BankSettings): boolean {
  const { rule, forgetting } = settings;
  if (forgetting === "off" || rule.kind === "rank") return true;
  if (memory.events !== undefined) return memory.events.some((event) => remembered(event, now, settings));
  const left = retentionOf(memory, now, settings);
  return rule.kind === "threshold" ? left >= rule.count : memory.luck < left;
}

function rankWeight(memory: Memory, now: string | undefined, settings: BankSettings): number {
  return settings.rule.kind === "rank" ? retentionOf(memory, now, settings) : 1;
}

function reinforce(memory: Memory, now: string | undefined): void {
  memory.strength += 1;
  memory.lastRecall = now ?? memory.lastRecall;
}
