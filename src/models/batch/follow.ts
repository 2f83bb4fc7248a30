import { ModelError } from "../../errors.js";
import { countOf } from "../../text/count.js";
import type { LineReader } from "../../types.js";
import type { Wave } from "./wave.js";

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
  const { wire } = wave.queue;
  for (let refusals = 0, doubts = 0; ; ) {
    try {
      return await wire.create(wave.facts, wave.texts, patience.kill);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (!error.retryable) throw new NeverTaken(error);
      if (error.bill === "none") refusals += 1;
      else doubts += 1;
      const found = error.bill === "none" ? undefined : await foundBatch(wave, patience, patience.now());
      if (found !== undefined) return found;
      if (doubts >= MOST_DOUBTS || refusals >= MOST_REFUSALS) throw new NeverTaken(gaveUp(error));
      if (error.bill !== "none") continue; // looking for it took a while
      if (refusals === TOLD_AFTER) patience.tell(`${error.message}; it is sent again until it is taken`);
      await patience.sleep(Math.max(error.retryAfterMs ?? 0, pauseMs(refusals)));
    }
  }
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

// --- internal ---

const FIRST_LOOK_MS = 30_000;
const LONGEST_LOOK_MS = 300_000;
/** What a killed process had just sent is listed by then. */
const GRACE_MS = 60_000;
/** Sendings without an answer, each looked for and not found. */
const MOST_DOUBTS = 5;
/** Refusals that pass by themselves: some two hours of them. */
const MOST_REFUSALS = 25;
/** Shorter troubles are no news. */
const TOLD_AFTER = 3;

const pauseMs = (failures: number): number => Math.min(10_000 * 2 ** (failures - 1), LONGEST_LOOK_MS);

/** Asks until the provider answers: a batch goes on while the network is away. */
async function answered<T>(ask: () => Promise<T>, { sleep, tell }: Patience): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ModelError) || !error.retryable) throw error;
      if (failures === TOLD_AFTER) tell(`${error.message}; the batch is asked for until an answer comes`);
      await sleep(Math.max(error.retryAfterMs ?? 0, pauseMs(failures)));
    }
  }
}

const asModelError = (error: unknown): ModelError =>
  error instanceof ModelError ? error : new ModelError(String(error), { retryable: false, bill: "none" });

/** A stop: no other wave fares better. */
const gaveUp = ({ message, status }: ModelError): ModelError =>
  new ModelError(`${message} (the batch was not taken; gave up)`, {
    retryable: false,
    scope: "stop",
    status,
    bill: "none",
  });
