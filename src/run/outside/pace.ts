import { setMaxListeners } from "node:events";
import { type Hear, type LimitFacts, ModelError } from "../../errors.js";
import type { Clock, ModelReply, Random } from "../../types/index.js";
import { Breaker } from "./breaker.js";
import { type Cost, Limit, NOTHING, type OwnLimits, type Reason, type Sent } from "./limit.js";

interface PaceSettings {
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

/** Models that share the account's limits, and why their calls wait. */
export interface ModelClass {
  readonly limit: Limit;
  why: Waiting["why"];
}

/** A call with all its tries. */
interface PacedCall {
  /** The model as printed: `openai/gpt-6-luna`. */
  readonly model: string;
  readonly of: ModelClass;
  readonly signal: AbortSignal;
  /** Since when it waits, on the clock. */
  readonly sinceMs: number;
  /** Refused before: it goes before all that came later. */
  isAgain: boolean;
  /** What the next try is expected to use up. */
  cost(): Cost;
  /** Makes a try. Returns what it really took of the limits, too, where that is told. */
  send(cost: Cost, hear: Hear): Promise<readonly [ModelReply, Partial<Cost>]>;
  /** A try failed for which the server was to blame, for now; nothing starts there for so long. */
  onBlamed(error: ModelError, heldMs: number): void;
}

/** Calls that wait for one server. */
export interface Waiting {
  /** The model of the oldest. */
  readonly name: string;
  readonly calls: number;
  readonly oldestMs: number;
  readonly why: Reason | "down";
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
  readonly #classes = new Map<string, ModelClass>();
  /** Those that go again first. */
  #queue: Ticket[] = [];
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
    if (settings.stop !== undefined) this.#watch(settings.stop);
  }

  /** The class of models of this name. `slots`: calls in flight at the beginning. */
  of(kind: string, slots: number): ModelClass {
    const { own } = this.#settings;
    const known = this.#classes.get(kind) ?? { limit: new Limit(own, slots, this.#now()), why: "slots" };
    this.#classes.set(kind, known);
    return known;
  }

  /**
   * Makes a try of a call once it may start, and again while the server is to blame. Rejects with a failure of the call itself, the
   * reason of its signal or of the stop, and with why the server is given up.
   */
  async complete(call: PacedCall): Promise<ModelReply> {
    this.#watch(call.signal);
    for (;;) {
      const cost = call.cost();
      const sent = await new Promise<Sent>((resolve, reject) => this.#enqueue({ call, cost, resolve, reject }));
      const { limit } = call.of;
      let told: LimitFacts | undefined;
      const hear = (facts: LimitFacts): void => {
        told = facts;
      };
      let failed: { readonly error: ModelError; readonly usesTry: boolean };
      try {
        const [reply, used] = await call.send(cost, hear);
        this.#replied();
        limit.answered(sent, used, told, this.#now());
        return reply;
      } catch (error) {
        if (!(error instanceof ModelError) || call.signal.aborted) {
          limit.ended(sent, NOTHING, undefined, this.#now());
          throw call.signal.aborted ? call.signal.reason : error;
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
      call.onBlamed(failed.error, Math.max(0, untilMs - this.#now()));
    }
  }

  /** Calls that wait; undefined where there are none. */
  waiting(): Waiting | undefined {
    if (this.#queue.length === 0) return undefined;
    const { call } = this.#queue.reduce((a, b) => (b.call.sinceMs < a.call.sinceMs ? b : a));
    const { model: name, of, sinceMs } = call;
    return { name, calls: this.#queue.length, oldestMs: this.#now() - sinceMs, why: of.why };
  }

  #now = (): number => this.#settings.clock.monotonic();

  #enqueue(ticket: Ticket): void {
    const first = ticket.call.isAgain ? this.#queue.findIndex(({ call }) => !call.isAgain) : -1;
    this.#queue.splice(first === -1 ? this.#queue.length : first, 0, ticket);
    if (this.#endOf(ticket) === undefined) this.#pump();
    else this.#turnAway();
  }

  /** Lets start what may; of each class the first that waits. */
  #pump(): void {
    this.#alarm.abort();
    const { cap, clock, giveUpAfterMs = GIVE_UP_AFTER_MS } = this.#settings;
    const givesUpAtMs = this.#silentSinceMs + giveUpAfterMs;
    const isDead = this.#settings.giveUpAfterMs === undefined && this.#breaker.isDead;
    if (this.#now() >= givesUpAtMs || isDead) {
      this.#giveUp(isDead);
      return;
    }
    const blocked = new Set<ModelClass>();
    let atMs = Infinity;
    for (const ticket of [...this.#queue]) {
      const { call, cost } = ticket;
      if (blocked.size === this.#classes.size) break;
      if (blocked.has(call.of)) continue;
      const nowMs = this.#now();
      const downMs = this.#breaker.nextMs;
      const wait =
        this.#inFlight >= cap
          ? ({ atMs: Infinity, why: "slots" } as const)
          : downMs > nowMs
            ? ({ atMs: downMs, why: "down" } as const)
            : call.of.limit.wait(cost, nowMs);
      if (wait === undefined) {
        this.#queue.splice(this.#queue.indexOf(ticket), 1);
        this.#inFlight += 1;
        this.#breaker.started(call);
        ticket.resolve(call.of.limit.start(cost, nowMs));
      } else {
        blocked.add(call.of);
        call.of.why = wait.why;
        atMs = Math.min(atMs, wait.atMs);
      }
    }
    if (atMs === Infinity) return; // a call in flight ends
    this.#alarm = new AbortController();
    const waitMs = Math.max(0, Math.min(atMs, givesUpAtMs) - this.#now());
    clock.sleep(waitMs, this.#alarm.signal).then(
      () => this.#pump(),
      () => undefined, // put off
    );
  }

  #replied(): void {
    this.#lastReplyMs = this.#now();
    this.#silentSinceMs = Infinity;
    this.#breaker.replied();
  }

  /** Returns whether the failure uses up one of the call's tries. */
  #failed(call: PacedCall, sent: Sent, error: ModelError): boolean {
    const { throttled, late, retryable, status } = error;
    const nowMs = this.#now();
    const { limit } = call.of;
    this.#lastFailure = error;
    call.isAgain = true;
    const usesTry = !throttled && this.#breaker.failed(call, error, nowMs);
    if (throttled) this.#breaker.replied();
    if (!retryable && status !== undefined) this.#replied();
    else if (throttled || late || this.#breaker.isServers)
      this.#silentSinceMs = Math.min(this.#silentSinceMs, Math.max(sent.atMs, this.#lastReplyMs));
    if (throttled) limit.refused(sent, error, nowMs, this.#settings.random.next());
    else limit.failed(sent, error, nowMs, this.#breaker.nextMs > nowMs);
    return usesTry;
  }

  #giveUp(isDead: boolean): void {
    const { giveUpAfterMs = GIVE_UP_AFTER_MS, name } = this.#settings;
    const why = isDead
      ? `no connection to ${name} in 3 tries; start that server or correct its address`
      : `no reply from ${name} for ${giveUpAfterMs / 1000} s (--give-up-after)`;
    const { message, status, bill } = this.#lastFailure!; // it is silent since then
    this.#end ??= new ModelError(`${message}; ${why}`, { retryable: false, scope: "model", status, bill });
    this.#turnAway();
  }

  /** Calls stop waiting when the signal fires. */
  #watch(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return;
    this.#watched.add(signal);
    setMaxListeners(0, signal); // a run's calls all listen to it
    signal.addEventListener("abort", () => this.#turnAway(), { once: true });
  }

  /** Why a call may not start at all. */
  #endOf({ call: { signal } }: Ticket): unknown {
    if (signal.aborted) return signal.reason;
    return this.#settings.stop?.aborted === true ? this.#settings.stop.reason : this.#end;
  }

  /** Rejects queued calls that may not start at all. */
  #turnAway(): void {
    const all = this.#queue;
    this.#queue = all.filter((ticket) => this.#endOf(ticket) === undefined);
    for (const ticket of all) {
      const ended = this.#endOf(ticket);
      if (ended !== undefined) ticket.reject(ended);
    }
    if (this.#end === undefined) this.#pump();
  }
}

/** Default of `--give-up-after`, milliseconds. */
const GIVE_UP_AFTER_MS = 15 * 60_000;
