import { ModelError } from "../../errors.js";
import { tryModelCall } from "../../net/model-call.js";
import { type RetryPolicy, retry, type Try } from "../../net/retry.js";
import { countOf } from "../../text/count.js";
import type { BatchWire, LineReader, Model, ModelReply, ModelRequest, WaveFacts } from "../../types/index.js";

/** A request that waits for its reply. */
export interface Line {
  readonly key: string;
  readonly request: ModelRequest;
  /** Estimated tokens of its prompt. */
  readonly tokens: number;
  resolve(reply: ModelReply): void;
  reject(error: unknown): void;
}

/** The requests to one model that no wave holds yet. */
export interface Queue {
  readonly model: Model;
  readonly wire: BatchWire;
  lines: Line[];
  mostLines: number;
  /** Estimated tokens that are out, and the most of them. */
  tokensOut: number;
  mostTokens: number;
  /** How often in a row the provider found that too much is out. */
  refusals: number;
}

/** Throws TypeError where the model has no batches. */
export function openQueue(model: Model): Queue {
  const { batch: wire } = model;
  if (wire === undefined) throw new TypeError(`${model.id} has no batches`);
  return {
    ...{ model, wire, lines: [], mostLines: Math.min(wire.most.lines, MOST_LINES) },
    ...{ tokensOut: 0, mostTokens: wire.firstTokens ?? Number.POSITIVE_INFINITY, refusals: 0 },
  };
}

/** The name of a request's line: that of its key and its wave, in the characters and length that providers take. */
export const lineId = (key: string, wave: string): string => `${key.slice(0, 32)}-${wave}`;

/** The first lines of a queue that fit into one wave, as they are sent; none where a batch must end first. */
export function nextLines(
  { lines, wire, mostLines, tokensOut, mostTokens }: Queue,
  wave: string,
): { readonly lines: readonly Line[]; readonly texts: readonly string[]; readonly tokens: number } {
  const texts: string[] = [];
  let [bytes, tokens] = [0, 0];
  for (const line of lines.slice(0, mostLines)) {
    const text = wire.line(lineId(line.key, wave), line.request);
    bytes += Buffer.byteLength(text) + 1;
    const isOver = bytes > wire.most.bytes || tokensOut + tokens + line.tokens > mostTokens;
    if (isOver && (texts.length > 0 || tokensOut > 0)) break;
    tokens += line.tokens;
    texts.push(text);
  }
  return { lines: lines.slice(0, texts.length), texts, tokens };
}

export function learnDone(queue: Queue, tokens: number): void {
  queue.tokensOut -= tokens;
  queue.mostTokens *= 2; // more may be
  queue.refusals = 0;
}

/** Learns from a wave that was not taken. Returns whether, for all that the provider said, its lines may go another time. */
export function learnNotTaken(
  queue: Queue,
  { tokens, lines }: { readonly tokens: number; readonly lines: number },
  { reason, overLimit }: { readonly reason: ModelError | undefined; readonly overLimit: boolean },
): boolean {
  queue.tokensOut -= tokens;
  const isTooLong = reason?.status === 413;
  if (overLimit) queue.mostTokens = Math.max(1, Math.floor(tokens / 2));
  else if (isTooLong) queue.mostLines = Math.ceil(lines / 2);
  if (overLimit) queue.refusals += 1;
  const mayFit = overLimit ? queue.refusals < MOST_REFUSALS : isTooLong && lines > 1;
  return reason === undefined || mayFit;
}

const MOST_LINES = 10_000;
const MOST_REFUSALS = 24;

/** Where waves are written down; each call returns when that is done. */
export interface WaveLog {
  /** Waves of earlier processes that may be out, each with the requests that are not known to have come to nothing. */
  readonly waves: readonly KnownWave[];
  /** Waves that were ever meant to be sent: no name comes twice. */
  readonly count: number;
  /** Why requests may be out that are in none of these waves; none where nothing of the log was lost. */
  readonly doubts: readonly string[];
  /** Before the wave is sent. */
  intended(wave: WaveFacts, model: string, keys: readonly string[]): void;
  /** The provider has taken it. */
  created(wave: string, batch: string): void;
  /** The provider has not taken it, and will not. */
  dropped(wave: string): void;
}

/** A wave as the log holds it. */
export interface KnownWave extends WaveFacts {
  readonly model: string;
  readonly keys: readonly string[];
  /** Undefined where the process ended before it heard the id. */
  readonly batch: string | undefined;
}

/** Lines that are sent together. */
export interface Wave {
  readonly facts: WaveFacts;
  readonly queue: Queue;
  readonly keys: readonly string[];
  readonly tokens: number;
  /** The lines as they are sent; none once they are out, and for waves of earlier processes. */
  texts: readonly string[];
  batch: string | undefined;
  /** Lines that wait for it. */
  readonly lines: Set<Line>;
  isFollowed: boolean;
  /** Being sent: a run that leaves waits for that. */
  isLeaving: boolean;
  /** Only time brings it further. */
  isParked: boolean;
  /** What it brought, once it has ended. */
  readers: ReadonlyMap<string, LineReader> | undefined;
}

/** A call that nobody waits for any more while its request is out in a batch: it has not ended, and a later run takes it up. */
export class StillOut extends Error {
  override readonly name = "StillOut";
}

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
