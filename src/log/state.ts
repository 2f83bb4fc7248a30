import type { Json } from "../types/index.js";
import type { Entry, Failure, Head, Key, Span } from "./entry.js";

/** Requests that were sent together. */
interface Wave {
  readonly id: string;
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** How many it was sent with. */
  readonly lines: number;
  /** Those that nothing has come of yet. */
  readonly keys: Set<Key>;
  /** The provider's id; undefined where it was never heard. */
  batch: string | undefined;
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

/** Where an answer stands. `ms`: how long this run waited for it; undefined where it was copied, or came by a batch. */
interface Place extends Span {
  readonly ms: number | undefined;
}

/** The state of a log: a fold over its entries. Holds where answers stand, not what they say. */
export interface State {
  readonly got: Map<Key, Place>;
  /** Tries without an end. */
  readonly open: Map<Key, { readonly usd: number; readonly batch: boolean }>;
  /** Calls that failed after all their tries. */
  readonly failed: Map<Key, Failure>;
  /** Batches that may be out, by id. */
  readonly waves: Map<string, Wave>;
  /** How many waves there ever were. */
  wavesSent: number;
  readonly facts: Map<string, Json>;
  readonly money: Money;
  plan?: Json;
  end?: Extract<Entry, { t: "end" }>;
  /** Numbers of lines that are not as they were written, from 1. */
  readonly corrupt: number[];
}

export const emptyState = (): State => ({
  got: new Map(),
  open: new Map(),
  failed: new Map(),
  waves: new Map(),
  wavesSent: 0,
  facts: new Map(),
  money: { tries: 0, replies: 0, refused: 0, unknown: 0, usd: 0, unknownBilledUpToUsd: 0 },
  corrupt: [],
});

/** Adds an entry that stands at a span of the log. */
export function fold(state: State, entry: Head, span: Span): void {
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
      loseOpen(state, entry.key);
      state.open.set(entry.key, { usd: entry.upToUsd ?? 0, batch: entry.batch === true });
      if (entry.batch !== true) state.money.tries += 1;
      break;
    case "got":
      if (entry.from === undefined) settle(state, entry.key);
      else loseOpen(state, entry.key); // a dead process's try: what was copied is not its answer
      leaveWaves(state, entry.key);
      state.failed.delete(entry.key);
      if (!state.got.has(entry.key))
        state.got.set(entry.key, { ...span, ms: entry.from === undefined ? entry.ms : undefined });
      if (entry.from !== undefined) break;
      state.money.usd += entry.usd ?? 0;
      if (entry.kind === "reply") state.money.replies += 1;
      break;
    case "no":
      failed(state, entry);
      break;
    case "wave":
      foldWave(state, entry);
  }
}

/** A try that has no end counts as possibly billed; one that waits for a batch only waits. */
export function loseOpen({ open, money }: State, key: Key): void {
  const left = open.get(key);
  open.delete(key);
  if (left === undefined || left.batch) return;
  money.unknown += 1;
  money.unknownBilledUpToUsd += left.usd;
}

/** The end of a try, and what it may have cost. Of a batch it counts from now on. */
function settle({ open, money }: State, key: Key): { readonly usd: number } | undefined {
  const left = open.get(key);
  open.delete(key);
  if (left?.batch === true) money.tries += 1;
  return left;
}

function failed(state: State, entry: Failure): void {
  const { key, billed, final } = entry;
  const { money } = state;
  const left = settle(state, key);
  leaveWaves(state, key);
  if (left !== undefined && billed === "none") {
    money.tries -= 1;
    money.refused += 1;
  } else if (left !== undefined) {
    money.unknownBilledUpToUsd += left.usd;
    if (billed === "unknown") money.unknown += 1;
  }
  if (final === true && !state.got.has(key)) state.failed.set(key, entry);
}

function foldWave(state: State, entry: Extract<Entry, { t: "wave" }>): void {
  const { waves } = state;
  if ("keys" in entry) {
    const { id, model, at, keys } = entry;
    for (const key of keys) leaveWaves(state, key); // it went out anew
    waves.set(id, { id, model, at, lines: keys.length, keys: new Set(keys), batch: undefined });
    state.wavesSent += 1;
    return;
  }
  const wave = waves.get(entry.id);
  if (wave === undefined) return;
  if ("batch" in entry) wave.batch = entry.batch;
  else waves.delete(entry.id);
}

/** Removes a request that is answered, failed, or sent anew from its wave. */
function leaveWaves({ waves }: State, key: Key): void {
  for (const wave of waves.values()) {
    if (!wave.keys.delete(key) || wave.keys.size > 0) continue;
    waves.delete(wave.id);
  }
}
