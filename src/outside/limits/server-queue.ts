import { ModelError } from "../../errors.js";
import { onAbort } from "../../net/deadline.js";
import type { Waiting } from "../../plan/io.js";
import type { Clock, ModelReply, Random } from "../../types/index.js";
import { type AccountLimit, type Cost, type Observed, type StartedCall, UNUSED, type Wait } from "./account-limit.js";
import { Breaker } from "./breaker.js";

export interface QueueSettings {
  /** Name in messages. */
  readonly name: string;
  readonly concurrency: number;
  readonly clock: Clock;
  /** Spreads waits: no result depends on it. */
  readonly random: Random;
  /** Time without a reply after which the server is given up. Absent: 15 minutes, and at once if three connections fail at the beginning. */
  readonly giveUpAfterMs?: number | undefined;
  /** Once aborted nothing starts, and queued calls are rejected. */
  readonly stop?: AbortSignal | undefined;
}

/** A call with all its tries. */
export interface ServerCall {
  /** The model as printed: `openai/gpt-6-luna`. */
  readonly model: string;
  readonly limit: AccountLimit;
  readonly signal: AbortSignal;
  /** When it began to wait, by the monotonic clock. */
  readonly sinceMs: number;
  /** Its place in the queue, the same in all its tries. Set by the queue. */
  order?: number;
  /** Returns the estimate of the next try. */
  cost(): Cost;
  send(cost: Cost): Promise<Observed & { readonly reply: ModelReply }>;
  /** Called when a failed try used up no try: the call is queued again and waits at least `waitMs`. */
  onRequeued(error: ModelError, waitMs: number): void;
}

interface QueuedCall {
  readonly call: ServerCall;
  readonly cost: Cost;
  start(started: StartedCall): void;
  reject(reason: unknown): void;
}

/** `waitMs`: minimum wait before the next try where the failure uses up no try. */
type TryResult =
  | { readonly reply: ModelReply }
  | { readonly error: ModelError; readonly usesTry: boolean; readonly waitMs: number };

/** The queue of calls to one server: first come, first served, as fast as the limits of its accounts and the breaker allow. */
export class ServerQueue {
  readonly #settings: QueueSettings;
  readonly #breaker: Breaker;
  readonly #queue: QueuedCall[] = [];
  #callCount = 0;
  #inFlight = 0;
  readonly #watchedSignals = new WeakSet<AbortSignal>();
  #timer = new AbortController();
  #lastReplyMs = 0;
  /** Start of the first try that was refused or failed since the last reply. */
  #silentSinceMs = Infinity;
  #lastFailure: ModelError | undefined;
  #givenUp: ModelError | undefined;

  constructor(settings: QueueSettings) {
    this.#settings = settings;
    this.#breaker = new Breaker(settings.giveUpAfterMs);
    if (settings.stop !== undefined) onAbort(settings.stop, () => this.#startWaiting());
  }

  /** Makes a try of a call when it may start, and repeats it while failures use up no try. */
  async complete(call: ServerCall): Promise<ModelReply> {
    if (!this.#watchedSignals.has(call.signal)) onAbort(call.signal, () => this.#startWaiting());
    this.#watchedSignals.add(call.signal);
    for (;;) {
      const started = await this.#turnOf(call);
      const result = await this.#try(call, started);
      if ("reply" in result) return result.reply;
      if (this.#givenUp !== undefined) throw this.#givenUp;
      if (result.usesTry) throw result.error;
      call.onRequeued(result.error, result.waitMs);
    }
  }

  /** Returns how many calls wait, how long and why; undefined where none do. */
  waiting(): Waiting | undefined {
    const [oldest] = this.#queue;
    if (oldest === undefined) return undefined;
    const { model, sinceMs } = oldest.call;
    const why = this.#wait(oldest)?.why ?? "slots";
    return { name: model, calls: this.#queue.length, oldestMs: this.#now() - sinceMs, why };
  }

  #now = (): number => this.#settings.clock.monotonic();

  /** Resolves when the call is started. */
  #turnOf(call: ServerCall): Promise<StartedCall> {
    call.order ??= this.#callCount++;
    const { order } = call;
    return new Promise((start, reject) => {
      const behind = this.#queue.filter((queued) => (queued.call.order ?? 0) > order).length;
      this.#queue.splice(this.#queue.length - behind, 0, { call, cost: call.cost(), start, reject });
      this.#startWaiting();
    });
  }

  async #try(call: ServerCall, started: StartedCall): Promise<TryResult> {
    const { limit, signal } = call;
    try {
      const { reply, ...observed } = await call.send(started.cost);
      this.#replied();
      limit.answered(started, observed, this.#now());
      return { reply };
    } catch (error) {
      if (error instanceof ModelError && !signal.aborted) {
        const usesTry = this.#failed(call, started, error);
        const untilMs = Math.max(limit.heldUntilMs, this.#breaker.openUntilMs);
        return { error, usesTry, waitMs: Math.max(0, untilMs - this.#now()) };
      }
      limit.ended(started, { used: UNUSED }, this.#now());
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.#breaker.ended(call);
      this.#inFlight -= 1;
      this.#startWaiting();
    }
  }

  /** Starts the queued calls that may start: of each rate limit in the order of the queue. */
  #startWaiting(): void {
    this.#timer.abort(NOT_NEEDED);
    const giveUpAtMs = this.#checkSilence();
    this.#rejectEnded();
    const blocked = new Set<AccountLimit>();
    let nextMs = Infinity;
    for (const queued of [...this.#queue]) {
      if (blocked.has(queued.call.limit)) continue;
      const wait = this.#wait(queued);
      if (wait === undefined) this.#start(queued);
      else blocked.add(queued.call.limit);
      nextMs = Math.min(nextMs, wait?.atMs ?? Infinity);
    }
    if (nextMs === Infinity) return; // the next call in flight that ends starts another
    this.#timer = new AbortController();
    this.#settings.clock.sleep(Math.max(0, Math.min(nextMs, giveUpAtMs) - this.#now()), this.#timer.signal).then(
      () => this.#startWaiting(),
      () => undefined, // another timer was set
    );
  }

  #start(queued: QueuedCall): void {
    const { call, cost, start } = queued;
    this.#queue.splice(this.#queue.indexOf(queued), 1);
    this.#inFlight += 1;
    this.#breaker.started(call);
    start(call.limit.start(cost, this.#now()));
  }

  /** Rejects queued calls that were aborted, and all where the server is given up. */
  #rejectEnded(): void {
    for (const queued of [...this.#queue]) {
      const aborted = [queued.call.signal, this.#settings.stop].find((signal) => signal?.aborted);
      if (aborted === undefined && this.#givenUp === undefined) continue;
      this.#queue.splice(this.#queue.indexOf(queued), 1);
      queued.reject(aborted === undefined ? this.#givenUp : aborted.reason);
    }
  }

  #wait({ call, cost }: QueuedCall): Wait | undefined {
    const nowMs = this.#now();
    if (this.#inFlight >= this.#settings.concurrency) return { atMs: Infinity, why: "slots" };
    const breakerMs = this.#breaker.nextMs;
    return breakerMs > nowMs ? { atMs: breakerMs, why: "down" } : call.limit.wait(cost, nowMs);
  }

  #replied(): void {
    this.#lastReplyMs = this.#now();
    this.#silentSinceMs = Infinity;
    this.#breaker.replied();
  }

  /** Counts a failed try. Returns whether it uses up one of the call's tries. */
  #failed(call: ServerCall, started: StartedCall, error: ModelError): boolean {
    const { throttled, late, retryable, status } = error;
    const nowMs = this.#now();
    this.#lastFailure = error;
    const usesTry = !throttled && this.#breaker.failed(call, error, nowMs);
    if (throttled) this.#breaker.replied(); // the server is up; without replies it is given up all the same
    if (!retryable && status !== undefined) this.#replied();
    else if (throttled || late || this.#breaker.isServerFault)
      this.#silentSinceMs = Math.min(this.#silentSinceMs, Math.max(started.start.atMs, this.#lastReplyMs));
    if (throttled) call.limit.refused(started, error, { nowMs, jitter: this.#settings.random.next() });
    else call.limit.failed(started, error, { nowMs, isDown: this.#breaker.nextMs > nowMs });
    return usesTry;
  }

  /** Gives the server up if it has been silent for too long. Returns when that will be. */
  #checkSilence(): number {
    const { name, giveUpAfterMs = GIVE_UP_AFTER_MS } = this.#settings;
    const giveUpAtMs = this.#silentSinceMs + giveUpAfterMs;
    const isDead = this.#settings.giveUpAfterMs === undefined && this.#breaker.isDead;
    if (this.#givenUp !== undefined || !(isDead || this.#now() >= giveUpAtMs)) return giveUpAtMs;
    const { message, status, bill } = this.#lastFailure!; // the first failure began the silence
    const why = isDead
      ? `no connection to ${name} in 3 tries; start that server or correct its address`
      : `no reply from ${name} for ${giveUpAfterMs / 1000} s (--give-up-after)`;
    this.#givenUp = new ModelError(`${message}; ${why}`, { retryable: false, scope: "model", status, bill });
    return giveUpAtMs;
  }
}

/** Reason of aborted timers. Without a reason each abort creates a DOMException, which is slow. */
const NOT_NEEDED = "not needed";
/** Default of `--give-up-after`, milliseconds. */
const GIVE_UP_AFTER_MS = 15 * 60_000;
