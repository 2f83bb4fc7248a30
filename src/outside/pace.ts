import { type Hear, type LimitFacts, ModelError } from "../errors.js";
import { onAbort } from "../net/deadline.js";
import type { Waiting } from "../plan/io.js";
import type { Clock, ModelReply, Random } from "../types/index.js";
import { Breaker } from "./breaker.js";
import { type Cost, Limit, NOTHING, type OwnLimits, type Sent } from "./limit.js";

export interface PaceSettings {
  /** As a person is told of it. */
  readonly name: string;
  /** Most calls in flight. */
  readonly cap: number;
  /** Limits a minute that the user set, of each class of models. */
  readonly own: OwnLimits;
  readonly clock: Clock;
  /** Spreads waits: no result depends on it. */
  readonly random: Random;
  /** Without a reply for so long the server is given up. Absent: 15 minutes, and at once a host that takes no connection. */
  readonly giveUpAfterMs?: number | undefined;
  /** Once aborted nothing starts, and queued calls are rejected. */
  readonly stop?: AbortSignal | undefined;
}

/** A call with all its tries. */
interface PacedCall {
  /** The model as printed: `openai/gpt-6-luna`. */
  readonly model: string;
  /** Of its class of models at the account. */
  readonly limit: Limit;
  readonly signal: AbortSignal;
  /** Since when it waits, on the clock. */
  readonly sinceMs: number;
  /** Of all calls of the pace, in the order in which they came, which it keeps in all its tries. */
  number?: number;
  /** Returns what the next try is expected to use up. */
  cost(): Cost;
  /** Makes a try. Returns what it really took of the limits, too, where that is told. */
  send(cost: Cost, hear: Hear): Promise<readonly [ModelReply, Partial<Cost>]>;
  /** A failed try used up none of the call's tries: it waits for another start, at least so long. */
  onRequeued(error: ModelError, heldMs: number): void;
}

interface Ticket {
  readonly call: PacedCall;
  readonly cost: Cost;
  resolve(sent: Sent): void;
  reject(reason: unknown): void;
}

/** Lets calls to one server and account start as fast as it takes them and no faster, first come, first served. */
export class Pace {
  readonly #settings: PaceSettings;
  readonly #breaker: Breaker;
  readonly #limits = new Map<string, Limit>();
  /** By number. */
  readonly #queue: Ticket[] = [];
  #calls = 0;
  #inFlight = 0;
  readonly #watched = new WeakSet<AbortSignal>();
  #alarm = new AbortController();
  #lastReplyMs = 0;
  /** The start of the first try that was refused or failed since the last reply. */
  #silentSinceMs = Infinity;
  #lastFailure: ModelError | undefined;
  /** Why the server is given up. */
  #end: ModelError | undefined;

  constructor(settings: PaceSettings) {
    this.#settings = settings;
    this.#breaker = new Breaker(settings.giveUpAfterMs);
    if (settings.stop !== undefined) onAbort(settings.stop, () => this.#pump());
  }

  /** The limit of a class of models. `slots`: calls in flight at the beginning. */
  limitOf(kind: string, slots: number): Limit {
    const limit = this.#limits.get(kind) ?? new Limit(this.#settings.own, slots, this.#now());
    this.#limits.set(kind, limit);
    return limit;
  }

  /**
   * Makes a try of a call once it may start, and again while failures use up none of its tries. Rejects with a failure of the call itself, the
   * reason of its signal or of the stop, and with why the server is given up.
   */
  async complete(call: PacedCall): Promise<ModelReply> {
    const { signal, limit } = call;
    if (!this.#watched.has(signal)) onAbort(signal, () => this.#pump());
    this.#watched.add(signal);
    call.number ??= this.#calls++;
    for (;;) {
      const cost = call.cost();
      const sent = await new Promise<Sent>((resolve, reject) => this.#enqueue({ call, cost, resolve, reject }));
      let told: LimitFacts | undefined;
      let failed: { readonly error: ModelError; readonly usesTry: boolean };
      try {
        const [reply, used] = await call.send(cost, (facts) => {
          told = facts;
        });
        this.#replied();
        limit.answered(sent, used, told, this.#now());
        return reply;
      } catch (error) {
        if (!(error instanceof ModelError) || signal.aborted) {
          limit.ended(sent, NOTHING, undefined, this.#now());
          throw signal.aborted ? signal.reason : error;
        }
        failed = { error, usesTry: this.#failed(call, sent, error) };
      } finally {
        this.#breaker.ended(call);
        this.#inFlight -= 1;
        this.#pump();
      }
      if (this.#end !== undefined) throw this.#end;
      if (failed.usesTry) throw failed.error;
      const untilMs = Math.max(limit.heldUntilMs, this.#breaker.restUntilMs);
      call.onRequeued(failed.error, Math.max(0, untilMs - this.#now()));
    }
  }

  /** Calls that wait; undefined where there are none. */
  waiting(): Waiting | undefined {
    const [oldest] = this.#queue;
    if (oldest === undefined) return undefined;
    const { model: name, sinceMs } = oldest.call;
    const { why } = this.#wait(oldest) ?? { why: "slots" };
    return { name, calls: this.#queue.length, oldestMs: this.#now() - sinceMs, why };
  }

  #now = (): number => this.#settings.clock.monotonic();

  #enqueue(ticket: Ticket): void {
    const later = this.#queue.findIndex(({ call }) => call.number! > ticket.call.number!); // `complete` gave them
    this.#queue.splice(later === -1 ? this.#queue.length : later, 0, ticket);
    this.#pump();
  }

  /** Lets start what may; of each class the first that waits. Rejects what never may. */
  #pump(): void {
    this.#alarm.abort();
    const { clock, giveUpAfterMs = GIVE_UP_AFTER_MS } = this.#settings;
    const givesUpAtMs = this.#silentSinceMs + giveUpAfterMs;
    const isDead = this.#settings.giveUpAfterMs === undefined && this.#breaker.isDead;
    if (this.#now() >= givesUpAtMs || isDead) this.#end ??= this.#givenUp(isDead, giveUpAfterMs);
    const blocked = new Set<Limit>();
    let atMs = Infinity;
    for (const ticket of [...this.#queue]) {
      const { call, cost } = ticket;
      const never = this.#never(call.signal);
      if (never === undefined && blocked.has(call.limit)) continue;
      const wait = never === undefined ? this.#wait(ticket) : undefined;
      if (wait !== undefined) {
        blocked.add(call.limit);
        atMs = Math.min(atMs, wait.atMs);
        continue;
      }
      this.#queue.splice(this.#queue.indexOf(ticket), 1);
      if (never === undefined) {
        this.#inFlight += 1;
        this.#breaker.started(call);
        ticket.resolve(call.limit.start(cost, this.#now()));
      } else ticket.reject(never);
    }
    if (atMs === Infinity) return; // a call in flight ends
    this.#alarm = new AbortController();
    clock.sleep(Math.max(0, Math.min(atMs, givesUpAtMs) - this.#now()), this.#alarm.signal).then(
      () => this.#pump(),
      () => undefined, // put off
    );
  }

  /** Until when a call waits, and why; undefined where it may start. */
  #wait({ call, cost }: Ticket): { readonly atMs: number; readonly why: Waiting["why"] } | undefined {
    const [nowMs, downMs] = [this.#now(), this.#breaker.nextMs];
    if (this.#inFlight >= this.#settings.cap) return { atMs: Infinity, why: "slots" };
    return downMs > nowMs ? { atMs: downMs, why: "down" } : call.limit.wait(cost, nowMs);
  }

  /** Returns why a call may not start at all. */
  #never(signal: AbortSignal): unknown {
    const { stop } = this.#settings;
    if (signal.aborted) return signal.reason;
    return stop?.aborted === true ? stop.reason : this.#end;
  }

  #replied(): void {
    this.#lastReplyMs = this.#now();
    this.#silentSinceMs = Infinity;
    this.#breaker.replied();
  }

  /** Returns whether the failure uses up one of the call's tries. */
  #failed(call: PacedCall, sent: Sent, error: ModelError): boolean {
    const { limit } = call;
    const { throttled, late, retryable, status } = error;
    const nowMs = this.#now();
    this.#lastFailure = error;
    const usesTry = !throttled && this.#breaker.failed(call, error, nowMs);
    if (throttled) this.#breaker.replied(); // a refusal shows that the server is up; without replies it is given up all the same
    if (!retryable && status !== undefined) this.#replied();
    else if (throttled || late || this.#breaker.isServerFault)
      this.#silentSinceMs = Math.min(this.#silentSinceMs, Math.max(sent.start.atMs, this.#lastReplyMs));
    if (throttled) limit.refused(sent, error, nowMs, this.#settings.random.next());
    else limit.failed(sent, error, nowMs, this.#breaker.nextMs > nowMs);
    return usesTry;
  }

  #givenUp(isDead: boolean, afterMs: number): ModelError {
    const { name } = this.#settings;
    const { message, status, bill } = this.#lastFailure!; // it is silent since then
    const why = isDead
      ? `no connection to ${name} in 3 tries; start that server or correct its address`
      : `no reply from ${name} for ${afterMs / 1000} s (--give-up-after)`;
    return new ModelError(`${message}; ${why}`, { retryable: false, scope: "model", status, bill });
  }
}

/** Default of `--give-up-after`, milliseconds. */
const GIVE_UP_AFTER_MS = 15 * 60_000;
