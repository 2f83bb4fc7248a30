import type { Json } from "../types/index.js";
import type { Entry, EntryHead, Failure, Key, Span } from "./entry.js";

/** A batch: requests that were sent together. */
interface SentBatch {
  readonly id: string;
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** How many requests it was sent with. */
  readonly lines: number;
  /** The requests without an answer or a failure so far. */
  readonly keys: Set<Key>;
  /** The provider's name of the batch; undefined where no response said it. */
  providerId: string | undefined;
}

/** What was spent, in tries and US dollars. */
export interface Money {
  /** Billable tries. */
  tries: number;
  /** Replies that this run bought. */
  replies: number;
  /** Tries known to be unbilled. */
  refused: number;
  /** Billable tries whose answer never came. */
  unknown: number;
  /** Billed. */
  usd: number;
  /** The most that billable tries without an answer may have cost. */
  unknownBilledUpToUsd: number;
}

/** Place of an answer in the file. `ms`: how long this run waited for it; undefined where it was copied, or came by a batch. */
interface Place extends Span {
  readonly ms: number | undefined;
}

/** What the entries of a log come to. Of answers it holds their place, not their value. */
export interface State {
  readonly answers: Map<Key, Place>;
  /** Tries without an end. */
  readonly open: Map<Key, { readonly usd: number; readonly batch: boolean }>;
  /** Calls that failed after all their tries. */
  readonly failed: Map<Key, Failure>;
  /** Batches that may be out, by id. */
  readonly batches: Map<string, SentBatch>;
  /** How many batches there ever were. */
  batchesSent: number;
  readonly facts: Map<string, Json>;
  readonly money: Money;
  plan?: Json;
  end?: Extract<Entry, { t: "end" }>;
  /** Numbers of lines that are not as they were written, from 1. */
  readonly corrupt: number[];
}

export const emptyState = (): State => ({
  answers: new Map(),
  open: new Map(),
  failed: new Map(),
  batches: new Map(),
  batchesSent: 0,
  facts: new Map(),
  money: { tries: 0, replies: 0, refused: 0, unknown: 0, usd: 0, unknownBilledUpToUsd: 0 },
  corrupt: [],
});

/** Adds an entry to a state; `span`: its place in the file. */
export function fold(state: State, entry: EntryHead, span: Span): void {
  if (entry.t !== "end") delete state.end;
  switch (entry.t) {
    case "plan":
      state.plan = entry.plan;
      break;
    case "fact":
      state.facts.set(entry.name, entry.value);
      break;
    case "end":
      state.end = entry;
      break;
    case "try":
      abandonTry(state, entry.key);
      state.open.set(entry.key, { usd: entry.upToUsd ?? 0, batch: entry.batch === true });
      if (entry.batch !== true) state.money.tries += 1;
      break;
    case "answer":
      if (entry.from === undefined) closeTry(state, entry.key);
      else abandonTry(state, entry.key); // of a killed process: a copied answer is not the one to its try
      leaveBatches(state, entry.key);
      state.failed.delete(entry.key);
      if (!state.answers.has(entry.key))
        state.answers.set(entry.key, { ...span, ms: entry.from === undefined ? entry.ms : undefined });
      if (entry.from !== undefined) break;
      state.money.usd += entry.usd ?? 0;
      if (entry.kind === "reply") state.money.replies += 1;
      break;
    case "failure":
      failed(state, entry);
      break;
    case "batch":
      foldBatch(state, entry);
  }
}

/** Gives up a try without an end: it counts as possibly billed. One in a batch still has its answer to come, and counts as nothing yet. */
export function abandonTry({ open, money }: State, key: Key): void {
  const openTry = open.get(key);
  open.delete(key);
  if (openTry === undefined || openTry.batch) return;
  money.unknown += 1;
  money.unknownBilledUpToUsd += openTry.usd;
}

/** Ends a try. Returns the most that it may have cost. A try in a batch counts from now on. */
function closeTry({ open, money }: State, key: Key): { readonly usd: number } | undefined {
  const openTry = open.get(key);
  open.delete(key);
  if (openTry?.batch === true) money.tries += 1;
  return openTry;
}

function failed(state: State, entry: Failure): void {
  const { key, billed, final } = entry;
  const { money } = state;
  const openTry = closeTry(state, key);
  leaveBatches(state, key);
  if (openTry !== undefined && billed === "none") {
    money.tries -= 1;
    money.refused += 1;
  } else if (openTry !== undefined) {
    money.unknownBilledUpToUsd += openTry.usd;
    if (billed === "unknown") money.unknown += 1;
  }
  if (final === true && !state.answers.has(key)) state.failed.set(key, entry);
}

function foldBatch(state: State, entry: Extract<Entry, { t: "batch" }>): void {
  const { batches } = state;
  if ("keys" in entry) {
    const { id, model, at, keys } = entry;
    for (const key of keys) leaveBatches(state, key); // it went out anew
    batches.set(id, { id, model, at, lines: keys.length, keys: new Set(keys), providerId: undefined });
    state.batchesSent += 1;
    return;
  }
  const batch = batches.get(entry.id);
  if (batch === undefined) return;
  if ("providerId" in entry) batch.providerId = entry.providerId;
  else batches.delete(entry.id);
}

/** Removes a request that is answered, failed, or sent anew from its batch. */
function leaveBatches({ batches }: State, key: Key): void {
  for (const batch of batches.values()) {
    if (!batch.keys.delete(key) || batch.keys.size > 0) continue;
    batches.delete(batch.id);
  }
}
