import { ModelError } from "../../errors.js";
import { retry } from "../../net/retry.js";
import { countOf } from "../../text/count.js";
import type { BatchFacts, LineReader } from "../../types/index.js";
import { type BatchQueue, NotTaken, type PendingRequest } from "./queue.js";

/** Requests that were sent together, or are being sent. */
export interface SentBatch {
  readonly facts: BatchFacts;
  readonly queue: BatchQueue;
  readonly keys: readonly string[];
  readonly tokens: number;
  /** As they are sent; none once the provider has them, and for batches of earlier processes. */
  lines: readonly string[];
  /** Undefined where the provider's answer to the sending never came. */
  providerId: string | undefined;
  /** Requests of this process that wait for it. */
  readonly waiting: Set<PendingRequest>;
  /** A run that ends waits for `sending`; `polling`: the provider has it, and nothing is being asked. */
  state: "sending" | "sent" | "polling";
  /** Its replies, once it has ended. */
  readers: ReadonlyMap<string, LineReader> | undefined;
}

/** The reason why nobody waits for a request any more that is in a batch: it has not ended, and a later run collects it. */
export class StillInBatch extends Error {
  override readonly name = "StillInBatch";
}

/** How a batch is waited for. Both waits reject once nobody waits any more. */
export interface BatchWait {
  /** Between two tries of the same request. */
  sleep(ms: number): Promise<void>;
  /** Between two polls; never ends in a detached run. */
  poll(ms: number): Promise<void>;
  /** Fires when what is being sent is dropped. */
  readonly kill: AbortSignal;
  /** Fires when nobody waits any more. */
  readonly abandoned: AbortSignal;
  tell(message: string): void;
}

/**
 * Sends a batch and returns the provider's id. Where it may have been taken although no answer came, it is looked for before it is sent
 * again, so that nothing is bought twice. Throws NotTaken, and ModelError where that cannot be found out.
 */
export async function sendBatch(batch: SentBatch, wait: BatchWait): Promise<string> {
  const { facts, lines, queue } = batch;
  for (let sendings = 1; ; sendings++) {
    try {
      return await queue.wire.create(facts, lines, wait.kill);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (!error.retryable) throw new NotTaken(error);
      const found = error.bill === "none" ? undefined : await findBatch(batch, wait);
      if (found !== undefined) return found;
      if (sendings === MOST_SENDINGS) throw new NotTaken(notTakenError(error));
      if (sendings === REPORTED_TRY) wait.tell(`${error.message}; the batch is sent again until it is taken`);
      // own waits double, and are not shorter because a server asks for less: this is work of hours
      const waitMs = Math.max(error.retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (sendings - 1));
      if (error.bill === "none") await wait.sleep(Math.min(LONGEST_WAIT_MS, waitMs));
    }
  }
}

function notTakenError({ message, status }: ModelError): ModelError {
  const text = `${message} (the batch was not taken; gave up)`;
  return new ModelError(text, { retryable: false, scope: "stop", status, bill: "none" });
}

/** Looks for a batch whose sending got no answer. Returns the provider's id; undefined where it was not taken. */
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
 * Polls a batch until it has ended and returns its replies; results that lack lines are read again for some minutes. Throws NotTaken, and
 * ModelError where the provider does not have it, or its answers cannot be read.
 */
export async function pollResults(
  { queue: { wire }, facts }: SentBatch,
  id: string,
  wait: BatchWait,
): Promise<ReadonlyMap<string, LineReader>> {
  const poll = (polls: number): Promise<void> => wait.poll(Math.min(FIRST_POLL_MS * 1.5 ** polls, LONGEST_WAIT_MS));
  for (let polls = 0; ; polls++) {
    const state = await answered(() => wire.state(id, wait.abandoned), wait);
    if (state.kind === "refused") throw new NotTaken(state.error as ModelError, state.overLimit);
    if (state.kind === "ended") break;
    await poll(polls);
  }
  for (let readings = 1; ; readings++) {
    const readers = await answered(() => wire.results(id, wait.abandoned), wait);
    if (readers.size >= facts.lines || readings === MOST_READINGS) return readers;
    await poll(readings);
  }
}

/** Asks until the provider answers: a batch goes on while the network is away. An answer that cannot be read is asked for a few times. */
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
