import { ModelError } from "../../errors.js";
import { tryModelCall } from "../../retry/model-call.js";
import { type RetryPolicy, retry, type Try } from "../../retry/retry.js";
import { countOf } from "../../text/count.js";
import type { LineReader } from "../../types.js";
import type { Wave } from "./queue.js";

/** How batches are waited for. */
export interface Patience {
  /** Between two tries of the same request. Rejects once nobody waits any more. */
  sleep(ms: number): Promise<void>;
  /** While batches are under way. Rejects once nobody waits any more. */
  look(ms: number): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Fires when what is being sent is dropped. */
  readonly kill: AbortSignal;
  /** Fires when nobody waits any more. */
  readonly left: AbortSignal;
  tell(line: string): void;
}

/** The provider took nothing and never will. `overLimit`: because too much is out already. */
export class NeverTaken extends Error {
  override readonly name = "NeverTaken";
  /** Undefined where the wave can be sent as it is. */
  readonly reason: ModelError | undefined;
  readonly overLimit: boolean;

  constructor(reason?: ModelError, overLimit = false) {
    super(reason?.message ?? "not sent");
    this.reason = reason;
    this.overLimit = overLimit;
  }
}

/**
 * Sends a wave and returns the id of its batch. Where it may have been taken although no answer came, it is looked for before
 * it is sent again, so that no wave is bought twice. Throws NeverTaken.
 */
export async function sent(wave: Wave, patience: Patience): Promise<string> {
  let refusals = 0;
  const notRefused = (): Promise<string | ModelError> =>
    retry(() => trySending(wave, patience.kill), {
      policy: REFUSED,
      from: refusals + 1, // counted across doubts
      onFailure({ failure, attempt, last }) {
        refusals = attempt;
        if (attempt === TOLD_AFTER && !last) patience.tell(`${failure.message}; it is sent again until it is taken`);
      },
      wait: ({ waitMs }) => patience.sleep(waitMs),
      gaveUp: (failure) => new NeverTaken(neverTaken(failure)),
    });
  const taken = async (): Promise<Try<string, ModelError>> => {
    const answer = await notRefused();
    if (typeof answer === "string") return { done: answer };
    const found = await foundBatch(wave, patience, patience.now());
    return found === undefined ? { failure: answer } : { done: found };
  };
  return retry(taken, {
    policy: DOUBTED,
    wait: () => Promise.resolve(), // looking for it took a while
    gaveUp: (failure) => new NeverTaken(neverTaken(failure)),
  });
}

/**
 * The batch of a wave whose sending, at `triedMs`, was never answered; undefined where the provider has none. Waits until that
 * can be told.
 */
export async function foundBatch(
  { facts, queue }: Wave,
  patience: Patience,
  triedMs: number,
): Promise<string | undefined> {
  const ageMs = Math.max(0, patience.now() - triedMs);
  if (ageMs < GRACE_MS) await patience.sleep(GRACE_MS - ageMs); // what is on its way arrives first
  for (let looks = 1; ; looks++) {
    const found = await answered(() => queue.wire.find(facts, patience.left), patience);
    if (found === "none") return undefined;
    if (found !== "running") return found.batch;
    if (looks === 1)
      patience.tell(
        `${queue.model.id}: whether a batch of ${countOf(facts.lines, "request")} was taken shows when those under way have ended`,
      );
    await patience.look(LONGEST_LOOK_MS);
  }
}

/** What a batch brought, once it has ended. Throws NeverTaken, and ModelError where it is there no more. */
export async function brought(
  { queue, facts }: Wave,
  batch: string,
  patience: Patience,
): Promise<ReadonlyMap<string, LineReader>> {
  for (let looks = 0; ; looks++) {
    const state = await answered(() => queue.wire.state(batch, patience.left), patience);
    if (state.kind === "refused") throw new NeverTaken(asModelError(state.error), state.overLimit);
    if (state.kind === "ended") break;
    await patience.look(Math.min(FIRST_LOOK_MS * 1.5 ** looks, LONGEST_LOOK_MS));
  }
  const results = () => answered(() => queue.wire.results(batch, patience.left), patience);
  const readers = await results();
  if (readers.size >= facts.lines) return readers;
  const again = await results(); // a text may come cut
  return again.size > readers.size ? again : readers;
}

const FIRST_LOOK_MS = 30_000;
const LONGEST_LOOK_MS = 300_000;
/** What a killed process had just sent is listed by then. */
const GRACE_MS = 60_000;
/** Sendings without an answer, each looked for and not found. */
const DOUBTED: RetryPolicy = { tries: 5, firstWaitMs: 0, longestWaitMs: 0 };
/** A batch that is out goes on while the network is away. */
const OUT: RetryPolicy = { tries: Infinity, firstWaitMs: 10_000, longestWaitMs: LONGEST_LOOK_MS, patient: true };
/** Refusals that pass by themselves: some two hours of them. */
const REFUSED: RetryPolicy = { ...OUT, tries: 25 };
/** Shorter troubles are no news. */
const TOLD_AFTER = 3;

/** One try to send a wave: its batch, or the failure after which nobody knows whether it was taken. */
async function trySending(
  { facts, texts, queue }: Wave,
  kill: AbortSignal,
): Promise<Try<string | ModelError, ModelError>> {
  try {
    return { done: await queue.wire.create(facts, texts, kill) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (!error.retryable) throw new NeverTaken(error);
    return error.bill === "none" ? { failure: error, retryAfterMs: error.retryAfterMs } : { done: error };
  }
}

/** Asks until the provider answers. */
const answered = <T>(ask: () => Promise<T>, { sleep, tell }: Patience): Promise<T> =>
  retry(() => tryModelCall(ask), {
    policy: OUT,
    onFailure({ failure, attempt }) {
      if (attempt === TOLD_AFTER) tell(`${failure.message}; the batch is asked for until an answer comes`);
    },
    wait: ({ waitMs }) => sleep(waitMs),
    gaveUp: (failure) => failure,
  });

const asModelError = (error: unknown): ModelError =>
  error instanceof ModelError ? error : new ModelError(String(error), { retryable: false, bill: "none" });

/** A stop: no other wave fares better. */
const neverTaken = ({ message, status }: ModelError): ModelError =>
  new ModelError(`${message} (the batch was not taken; gave up)`, {
    retryable: false,
    scope: "stop",
    status,
    bill: "none",
  });
