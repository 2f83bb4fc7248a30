import { ModelError } from "../../errors.js";
import { retry } from "../../net/retry.js";
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

/** The record of waves; each call returns when that is done. */
export interface WaveLog {
  /** Waves of earlier processes that may be out, each with its requests that are not known to have failed. */
  readonly waves: readonly KnownWave[];
  /** Waves that were ever meant to be sent: no name comes twice. */
  readonly count: number;
  /** Corrupt log lines, why a sent request may be in none of `waves`; empty if the log is intact. */
  readonly doubts: readonly string[];
  /** Before the wave is sent. */
  intended(wave: WaveFacts, model: string, keys: readonly string[]): void;
  /** The provider has taken it. */
  created(wave: string, batch: string): void;
  /** The provider has not taken it, and will not. */
  dropped(wave: string): void;
}

/** A wave as the log holds it. */
interface KnownWave extends WaveFacts {
  readonly model: string;
  readonly keys: readonly string[];
  /** Undefined where the process ended before it heard the id. */
  readonly batch: string | undefined;
}

/** The requests to one model that no wave holds yet, and how much may be out at once. */
export class Queue {
  readonly model: Model;
  readonly wire: BatchWire;
  lines: Line[] = [];
  mostLines: number;
  /** Estimated tokens that are out, and the most of them. */
  tokensOut = 0;
  mostTokens: number;
  /** Refusals in a row because too much is out. */
  #refusals = 0;

  /** Throws TypeError where the model has no batches. */
  constructor(model: Model) {
    if (model.batch === undefined) throw new TypeError(`${model.id} has no batches`);
    this.model = model;
    this.wire = model.batch;
    this.mostLines = Math.min(this.wire.most.lines, MOST_LINES);
    this.mostTokens = this.wire.firstTokens ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the first lines that fit into one wave, as they are sent; none where a batch must end first. */
  next(wave: string): { readonly lines: readonly Line[]; readonly texts: readonly string[]; readonly tokens: number } {
    const texts: string[] = [];
    let [bytes, tokens] = [0, 0];
    for (const { key, request, tokens: more } of this.lines.slice(0, this.mostLines)) {
      const text = this.wire.line(lineId(key, wave), request);
      bytes += Buffer.byteLength(text) + 1;
      const isOver = bytes > this.wire.most.bytes || this.tokensOut + tokens + more > this.mostTokens;
      if (isOver && (texts.length > 0 || this.tokensOut > 0)) break;
      tokens += more;
      texts.push(text);
    }
    return { lines: this.lines.slice(0, texts.length), texts, tokens };
  }

  /** A wave has ended: more may be out. */
  done(tokens: number): void {
    this.tokensOut -= tokens;
    this.mostTokens *= 2;
    this.#refusals = 0;
  }

  /** Learns from a wave that was not taken. Returns whether its lines may go another time. */
  notTaken(tokens: number, lines: number, { reason, overLimit }: NeverTaken): boolean {
    this.tokensOut -= tokens;
    const isTooLong = reason?.status === 413;
    if (overLimit) this.mostTokens = Math.max(1, Math.floor(tokens / 2));
    else if (isTooLong) this.mostLines = Math.ceil(lines / 2);
    if (overLimit) this.#refusals += 1;
    return reason === undefined || (overLimit ? this.#refusals < MOST_REFUSALS : isTooLong && lines > 1);
  }
}

const MOST_LINES = 10_000;
const MOST_REFUSALS = 24;

/** Returns the name of a request's line: that of its key and its wave, in the characters and length that providers take. */
export const lineId = (key: string, wave: string): string => `${key.slice(0, 32)}-${wave}`;

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
  /** `sending`: a run that leaves waits for it; `out`; `parked`: out, and waiting between two polls. */
  state: "sending" | "out" | "parked";
  /** Its replies, once it has ended. */
  readers: ReadonlyMap<string, LineReader> | undefined;
}

/** A call that nobody waits for any more while its request is out in a batch: it has not ended, and a later run takes it up. */
export class StillOut extends Error {
  override readonly name = "StillOut";
}

/** The provider took nothing and never will. `overLimit`: because too much is out already. */
export class NeverTaken extends Error {
  override readonly name = "NeverTaken";

  constructor(
    /** Undefined where the wave can be sent as it is. */
    readonly reason?: ModelError,
    readonly overLimit = false,
  ) {
    super(reason?.message ?? "not sent");
  }
}

/** Timers, abort signals and messages of a wait for a batch. */
export interface BatchWait {
  /** Between two tries of the same request. Rejects once nobody waits any more. */
  sleep(ms: number): Promise<void>;
  /** Between two polls of a batch. Rejects once nobody waits any more; a detached run never polls. */
  look(ms: number): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Fires when what is being sent is dropped. */
  readonly kill: AbortSignal;
  /** Fires when nobody waits any more. */
  readonly abandoned: AbortSignal;
  tell(message: string): void;
}

const FIRST_LOOK_MS = 30_000;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 300_000;
/** Time until a batch that a killed process had just sent is listed. */
const GRACE_MS = 60_000;
/** Sendings without an answer, each looked for and not found. */
const MOST_DOUBTS = 5;
/** Refusals that pass by themselves: some two hours of them. */
const MOST_SENDINGS = 25;
/** Shorter troubles are no news. */
const TOLD_AFTER = 3;
/** Readings of results that lack lines. */
const READINGS = 6;

/** Own waits double, and are never shorter because a server asks for less: this is work that may take hours. */
const waitMs = (tries: number, { retryAfterMs = 0 }: ModelError): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(retryAfterMs, FIRST_WAIT_MS * 2 ** (tries - 1)));

/**
 * Sends a wave and returns the id of its batch. Where it may have been taken although no answer came, it is looked for before
 * it is sent again, so that no wave is bought twice. Throws NeverTaken.
 */
export async function sendWave(wave: Wave, wait: BatchWait): Promise<string> {
  const { facts, texts, queue } = wave;
  for (let [refusals, doubts] = [0, 0]; ; ) {
    try {
      return await queue.wire.create(facts, texts, wait.kill);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (!error.retryable) throw new NeverTaken(error);
      if (error.bill === "none") {
        refusals += 1;
        if (refusals === MOST_SENDINGS) throw gaveUp(error);
        if (refusals === TOLD_AFTER) wait.tell(`${error.message}; it is sent again until it is taken`);
        await wait.sleep(waitMs(refusals, error));
        continue;
      }
      const found = await foundBatch(wave, wait, wait.now());
      if (found !== undefined) return found;
      doubts += 1;
      if (doubts === MOST_DOUBTS) throw gaveUp(error);
    }
  }
}

function gaveUp({ message, status }: ModelError): NeverTaken {
  const text = `${message} (the batch was not taken; gave up)`;
  return new NeverTaken(new ModelError(text, { retryable: false, scope: "stop", status, bill: "none" }));
}

/** Returns the batch of a wave whose sending, at `triedMs`, was never answered, once that can be told; undefined where there is none. */
export async function foundBatch(
  { facts, queue }: Wave,
  wait: BatchWait,
  triedMs: number,
): Promise<string | undefined> {
  const ageMs = Math.max(0, wait.now() - triedMs);
  if (ageMs < GRACE_MS) await wait.sleep(GRACE_MS - ageMs); // what is on its way arrives first
  for (let looks = 1; ; looks++) {
    const found = await answered(() => queue.wire.find(facts, wait.abandoned), wait);
    if (found === "none") return undefined;
    if (found !== "running") return found.batch;
    const what = `a batch of ${countOf(facts.lines, "request")} was taken`;
    if (looks === 1) wait.tell(`${queue.model.id}: whether ${what} is known when the running batches have ended`);
    await wait.look(LONGEST_WAIT_MS);
  }
}

/**
 * Polls a batch until it has ended and returns its replies. Results that lack lines are read again for some minutes, others until they can be
 * read. Throws NeverTaken, and ModelError where the batch is there no more.
 */
export async function pollResults(
  { queue: { wire }, facts }: Wave,
  batch: string,
  wait: BatchWait,
): Promise<ReadonlyMap<string, LineReader>> {
  const look = (looks: number): Promise<void> => wait.look(Math.min(FIRST_LOOK_MS * 1.5 ** looks, LONGEST_WAIT_MS));
  for (let looks = 0; ; looks++) {
    const state = await answered(() => wire.state(batch, wait.abandoned), wait);
    if (state.kind === "refused") throw new NeverTaken(state.error as ModelError, state.overLimit);
    if (state.kind === "ended") break;
    await look(looks);
  }
  for (let readings = 1; ; readings++) {
    const readers = await answered(() => wire.results(batch, wait.abandoned), wait);
    if (readers.size >= facts.lines || readings === READINGS) return readers;
    await look(readings);
  }
}

/** Asks until the provider answers: a batch that is out goes on while the network is away. */
const answered = <T>(ask: () => Promise<T>, { sleep, tell }: BatchWait): Promise<T> =>
  retry(ask, {
    policy: { tries: Number.POSITIVE_INFINITY, firstWaitMs: FIRST_WAIT_MS, longestWaitMs: LONGEST_WAIT_MS },
    wait({ error, attempt, waitMs }) {
      if (attempt === TOLD_AFTER) tell(`${error.message}; the batch is asked for until an answer comes`);
      return sleep(waitMs);
    },
  });
