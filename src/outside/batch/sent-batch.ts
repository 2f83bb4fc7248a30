import { ModelError } from "../../errors.js";
import { retry } from "../../net/retry.js";
import { countOf } from "../../text/count.js";
import type { BatchFacts, LineReader } from "../../types/index.js";
import { type BatchQueue, BatchRejected, type PendingRequest } from "./queue.js";

/** A batch that was sent, or is being sent. */
export interface SentBatch {
  readonly facts: BatchFacts;
  readonly queue: BatchQueue;
  readonly keys: readonly string[];
  readonly tokens: number;
  /** JSON of the requests. Empty once the provider has them, and for batches of earlier processes. */
  lines: readonly string[];
  /** Undefined until the provider has answered the sending. */
  providerId: string | undefined;
  /** Requests of this process that wait for the batch. */
  readonly waiting: Set<PendingRequest>;
  /** A run that ends waits for `sending`. `polling`: the provider has the batch, and the next poll is due later. */
  state: "sending" | "sent" | "polling";
  /** Its replies, by line id, once it has ended. */
  readers: ReadonlyMap<string, LineReader> | undefined;
}

/** The error of a request whose batch is not waited for any more. A later process collects it. */
export class StillInBatch extends Error {
  override readonly name = "StillInBatch";
}

/** Waits for a batch. Both kinds of waits reject at `abandoned`. */
export interface BatchWait {
  /** Waits between two tries of a request to the provider. */
  sleep(ms: number): Promise<void>;
  /** Waits between two polls; never resolves in a detached run. */
  poll(ms: number): Promise<void>;
  /** Aborted when a batch that is being sent is dropped. */
  readonly kill: AbortSignal;
  /** Aborted when batches are not waited for any more. */
  readonly abandoned: AbortSignal;
  tell(message: string): void;
}

/**
 * Sends a batch and returns the provider's id. Without an answer the provider may have accepted it: it is looked for before it is sent
 * again, so that nothing is billed twice. Throws BatchRejected, and ModelError where the search fails.
 */
export async function sendBatch(batch: SentBatch, wait: BatchWait): Promise<string> {
  const { facts, lines, queue } = batch;
  for (let sendings = 1; ; sendings++) {
    try {
      return await queue.wire.create(facts, lines, wait.kill);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (!error.retryable) throw new BatchRejected(error);
      const found = error.bill === "none" ? undefined : await findBatch(batch, wait);
      if (found !== undefined) return found;
      if (sendings === MOST_SENDINGS) throw new BatchRejected(refusalOf(error));
      if (sendings === REPORTED_TRY) wait.tell(`${error.message}; the batch is sent again until it is taken`);
      // own waits double, and are not shorter because a server asks for less: this is work of hours
      const waitMs = Math.max(error.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (sendings - 1));
      if (error.bill === "none") await wait.sleep(Math.min(LONGEST_WAIT_MS, waitMs));
    }
  }
}

function refusalOf({ message, status }: ModelError): ModelError {
  const text = `${message} (the batch was not taken; gave up)`;
  return new ModelError(text, { retryable: false, scope: "stop", status, bill: "none" });
}

/** Looks for a batch whose sending got no answer. Returns the provider's id; undefined if the provider does not have it. */
export async function findBatch({ facts, queue }: SentBatch, wait: BatchWait): Promise<string | undefined> {
  await wait.sleep(LISTED_AFTER_MS);
  for (let searches = 1; ; searches++) {
    const found = await answered(() => queue.wire.find(facts, wait.abandoned), wait);
    if (found === "none") return undefined;
    if (found !== "running") return found.batch;
    const what = `a batch of ${countOf(facts.lines, "request")} was taken`;
    if (searches === 1) wait.tell(`${queue.model.id}: whether ${what} is known when the running batches have ended`);
    await wait.poll(LONGEST_WAIT_MS);
  }
}

/**
 * Polls a batch until it has ended, and returns its replies. Results that lack lines are read again for some minutes. Throws BatchRejected,
 * and ModelError if the provider does not have the batch or its answers cannot be read.
 */
export async function pollResults(
  { queue: { wire }, facts }: SentBatch,
  id: string,
  wait: BatchWait,
): Promise<ReadonlyMap<string, LineReader>> {
  const poll = (polls: number): Promise<void> => wait.poll(Math.min(FIRST_POLL_MS * 1.5 ** polls, LONGEST_WAIT_MS));
  for (let polls = 0; ; polls++) {
    const state = await answered(() => wire.state(id, wait.abandoned), wait);
    if (state.kind === "refused") throw new BatchRejected(state.error as ModelError, state.overLimit);
    if (state.kind === "ended") break;
    await poll(polls);
  }
  for (let readings = 1; ; readings++) {
    const readers = await answered(() => wire.results(id, wait.abandoned), wait);
    if (readers.size >= facts.lines || readings === MOST_READINGS) return readers;
    await poll(readings);
  }
}

/** Asks until the provider answers: a batch proceeds while the network is down. After a few unreadable answers it throws. */
function answered<T>(ask: () => Promise<T>, { sleep, tell }: BatchWait): Promise<T> {
  let unreadable = 0;
  const askOnce = async (): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      const isUnreadable = error instanceof ModelError && error.status === undefined && error.bill === "due";
      unreadable = isUnreadable ? unreadable + 1 : 0;
      if (unreadable < MOST_READINGS) throw error;
      throw new ModelError((error as ModelError).message, { retryable: false, bill: "due" });
    }
  };
  return retry(askOnce, {
    policy: { tries: Number.POSITIVE_INFINITY, firstWaitMs: FIRST_WAIT_MS, longestWaitMs: LONGEST_WAIT_MS },
    wait({ error, attempt, waitMs }) {
      if (attempt === REPORTED_TRY) tell(`${error.message}; the batch is asked for until an answer comes`);
      return sleep(waitMs);
    },
  });
}

const FIRST_POLL_MS = 30_000;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 300_000;
const LISTED_AFTER_MS = 60_000; // what is on its way arrives, and is listed
const MOST_SENDINGS = 25; // some two hours
const REPORTED_TRY = 3; // shorter troubles are not reported
const MOST_READINGS = 6;
