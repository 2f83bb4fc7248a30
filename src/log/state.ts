import type { Json } from "../types/index.js";
import type { BatchEntry, EndEntry, EntryHead, Failure, Key, Span } from "./entry.js";

/** A provider batch with unanswered requests. */
interface SentBatch {
  readonly id: string;
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Number of requests that it was sent with. */
  readonly lines: number;
  /** Requests without an answer or a failure. */
  readonly keys: Set<Key>;
  /** The provider's name of the batch; undefined if the provider has not accepted it. */
  providerId: string | undefined;
}

/** Spending of a run, in tries and US dollars. */
export interface Money {
  /** Billable tries. */
  tries: number;
  /** Replies bought by this run. */
  replies: number;
  /** Tries that were not billed. */
  refused: number;
  /** Billable tries that ended without a known result. */
  unknown: number;
  /** US dollars billed. */
  usd: number;
  /** Upper bound of the US dollars billed for tries without an answer. */
  unknownBilledUpToUsd: number;
}

/** Position of an answer. `ms`: milliseconds that this run waited for it; undefined if it was copied or came in a batch. */
interface AnswerPlace extends Span {
  readonly ms: number | undefined;
}

/** A try that was sent and has no result yet. */
interface OpenTry {
  /** US dollars that it may cost at most. */
  readonly usd: number;
  readonly batch: boolean;
}

/** The state of a run, computed from all entries of its log. Values of answers stay in the file. */
export interface State {
  readonly answers: Map<Key, AnswerPlace>;
  readonly openTries: Map<Key, OpenTry>;
  /** Calls that failed in all tries. */
  readonly failures: Map<Key, Failure>;
  /** Batches with unanswered requests, by id. */
  readonly batches: Map<string, SentBatch>;
  /** Number of batches ever sent. */
  batchesSent: number;
  readonly facts: Map<string, Json>;
  readonly money: Money;
  /** The manifest without facts. */
  plan?: Json;
  end?: EndEntry;
  /** Line numbers, from 1, of corrupt lines. */
  readonly corrupt: number[];
}

export const emptyState = (): State => ({
  answers: new Map(),
  openTries: new Map(),
  failures: new Map(),
  batches: new Map(),
  batchesSent: 0,
  facts: new Map(),
  money: { tries: 0, replies: 0, refused: 0, unknown: 0, usd: 0, unknownBilledUpToUsd: 0 },
  corrupt: [],
});

/** Adds the next entry of a log to its state. `span`: position of the entry in the file. */
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
      state.openTries.set(entry.key, { usd: entry.upToUsd ?? 0, batch: entry.batch === true });
      if (entry.batch !== true) state.money.tries += 1;
      break;
    case "answer":
      foldAnswer(state, entry, span);
      break;
    case "failure":
      foldFailure(state, entry);
      break;
    case "batch":
      foldBatch(state, entry);
  }
}

function foldAnswer(state: State, answer: Extract<EntryHead, { t: "answer" }>, span: Span): void {
  const { key, from, ms, usd = 0, kind, replaces } = answer;
  const isCopied = from !== undefined;
  if (isCopied)
    abandonTry(state, key); // the open try is of a killed process: its own answer never came
  else closeTry(state, key);
  removeFromBatches(state, key);
  state.failures.delete(key);
  if (!state.answers.has(key) || replaces === true) state.answers.set(key, { ...span, ms: isCopied ? undefined : ms });
  if (isCopied) return;
  state.money.usd += usd;
  if (kind === "reply") state.money.replies += 1;
}

/** Ends an open try without a result: it counts as possibly billed. A try in a batch is only removed: it is counted when its answer comes. */
export function abandonTry({ openTries, money }: State, key: Key): void {
  const openTry = openTries.get(key);
  openTries.delete(key);
  if (openTry === undefined || openTry.batch) return;
  money.unknown += 1;
  money.unknownBilledUpToUsd += openTry.usd;
}

/** Ends an open try with a result, and returns it. A try in a batch is counted now, others were counted when they were sent. */
function closeTry({ openTries, money }: State, key: Key): OpenTry | undefined {
  const openTry = openTries.get(key);
  openTries.delete(key);
  if (openTry?.batch === true) money.tries += 1;
  return openTry;
}

function foldFailure(state: State, failure: Failure): void {
  const { key, billed, final } = failure;
  const { money } = state;
  const openTry = closeTry(state, key);
  removeFromBatches(state, key);
  if (openTry !== undefined && billed === "none") {
    money.tries -= 1;
    money.refused += 1;
  } else if (openTry !== undefined) {
    money.unknownBilledUpToUsd += openTry.usd;
    if (billed === "unknown") money.unknown += 1;
  }
  if (final === true && !state.answers.has(key)) state.failures.set(key, failure);
}

function foldBatch(state: State, entry: BatchEntry): void {
  const { batches } = state;
  if ("keys" in entry) {
    const { id, model, at, keys } = entry;
    for (const key of keys) removeFromBatches(state, key); // the request is sent again in this batch
    batches.set(id, { id, model, at, lines: keys.length, keys: new Set(keys), providerId: undefined });
    state.batchesSent += 1;
    return;
  }
  const batch = batches.get(entry.id);
  if (batch === undefined) return;
  if ("providerId" in entry) batch.providerId = entry.providerId;
  else batches.delete(entry.id);
}

/** Removes a request from its batch, and the batch with its last request. */
function removeFromBatches({ batches }: State, key: Key): void {
  for (const batch of batches.values()) if (batch.keys.delete(key) && batch.keys.size === 0) batches.delete(batch.id);
}
