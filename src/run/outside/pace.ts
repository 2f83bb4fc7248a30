import { setMaxListeners } from "node:events";
import type { LimitFacts } from "../../errors.js";
import { ModelError } from "../../errors.js";
import { nounOf } from "../../text/count.js";
import type { Clock, Random } from "../../types/index.js";
import { Alarm } from "./alarm.js";
import { Breaker, type Tried } from "./breaker.js";
import { type Cost, Limit, NOTHING, type OwnLimits, type Reason, type SeenLimit, type Sent } from "./limit.js";

interface PaceSettings {
  /** Its address, where it is not the provider's own. */
  readonly address?: string | undefined;
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

/** How a call asks for its start. */
export interface Admission {
  /** The call itself, the same for all its tries. */
  readonly call: object;
  /** The model as printed: `openai/gpt-6-luna`. */
  readonly model: string;
  /** Models of one class share the account's limits. */
  readonly kind: string;
  readonly cost: Cost;
  readonly signal: AbortSignal;
  /** Since when it waits, on the clock. */
  readonly sinceMs: number;
  /** Refused before: it goes before all that came later. */
  readonly isAgain: boolean;
}

/** A call that may start. One of its endings must be called, once. */
export interface Grant {
  /** Aborts with the call's own signal, and when the server is given up. */
  readonly signal: AbortSignal;
  readonly hear: (limits: LimitFacts) => void;
  answered(used: Partial<Cost>): void;
  failed(error: ModelError): AfterFailure;
  /** Nothing was sent, or nobody waits any more. */
  dropped(): void;
}

interface AfterFailure {
  /** False where the server was to blame, for now: the call goes back to the queue. */
  readonly usesTry: boolean;
  /** For how long nothing starts at that server. */
  readonly heldMs: number;
  /** Why the server is given up, where it is. */
  readonly end: ModelError | undefined;
}

/** Calls that wait for one server. */
export interface Waiting {
  /** The model of the oldest; the server where `why` is `silent`. */
  readonly name: string;
  readonly calls: number;
  readonly oldestMs: number;
  /** `silent`: they are out, and no reply came for so long. */
  readonly why: Reason | "down" | "silent";
  /** A minute, of the limit that `why` names. */
  readonly perMinute?: number;
}

/** What was learned of a class of models, which the first of them names. */
export interface SeenRate extends SeenLimit {
  readonly name: string;
}

/** Lets calls to one server and account start as fast as it takes them and no faster, first come, first served. */
export class Pace {
  /** Most calls in flight. */
  cap: number;
  readonly #settings: PaceSettings;
  readonly #breaker: Breaker;
  readonly #limits = new Map<string, { readonly name: string; readonly limit: Limit; why: Waiting["why"] }>();
  /** Those that go again first. */
  readonly #queue: Ticket[] = [];
  /** Calls in flight, and when they started. */
  readonly #flights = new Map<AbortController, number>();
  readonly #watched = new WeakSet<AbortSignal>();
  readonly #alarm: Alarm;
  #lastReplyMs = 0;
  /** The start of the first try that was refused or failed since the last reply. */
  #silentSinceMs: number | undefined;
  #lastFailure: ModelError | undefined;
  #end: ModelError | undefined;

  constructor(settings: PaceSettings, cap: number) {
    this.#settings = settings;
    this.cap = cap;
    this.#breaker = new Breaker(settings.giveUpAfterMs);
    this.#alarm = new Alarm(settings.clock, () => this.#pump());
    if (settings.stop !== undefined) this.#watch(settings.stop);
  }

  /** Opens a class of models. `slots`: calls in flight at the beginning. */
  open(kind: string, name: string, slots: number): void {
    if (this.#limits.has(kind)) return;
    this.#limits.set(kind, { name, limit: new Limit(this.#settings.own, this.#now(), slots), why: "slots" });
  }

  /** Ends when the call may start. Rejects with the reason of its signal or of the stop, and with why the server is given up. */
  admit(admission: Admission): Promise<Grant> {
    const ended = this.#endOf(admission.signal);
    if (ended !== undefined) return Promise.reject(ended);
    this.#watch(admission.signal);
    return new Promise((resolve, reject) => {
      const first = admission.isAgain ? this.#queue.findIndex(({ isAgain }) => !isAgain) : -1;
      this.#queue.splice(first === -1 ? this.#queue.length : first, 0, { ...admission, resolve, reject });
      this.#pump();
    });
  }

  /** Calls that wait, and calls that are out without any reply for so long; nothing where there are none. */
  waiting(): Waiting[] {
    const nowMs = this.#now();
    const [firstOut] = this.#flights.values();
    const silentMs = nowMs - Math.max(firstOut ?? nowMs, this.#lastReplyMs);
    if (silentMs >= SILENT_MS)
      return [{ name: this.#name, calls: this.#flights.size, oldestMs: silentMs, why: "silent" }];
    if (this.#queue.length === 0) return [];
    const { kind, model: name, sinceMs } = this.#queue.reduce((a, b) => (b.sinceMs < a.sinceMs ? b : a));
    const { limit, why } = this.#limits.get(kind)!; // opened before calls came
    const perMinute = limit.seen().limits[why as keyof Cost]; // none of another reason
    const told = perMinute === undefined ? {} : { perMinute };
    return [{ name, calls: this.#queue.length, oldestMs: nowMs - sinceMs, why, ...told }];
  }

  seen(): SeenRate[] {
    return [...this.#limits.values()].map(({ name, limit }) => ({ name, ...limit.seen() }));
  }

  get #name(): string {
    return this.#settings.address ?? [...this.#limits.values()][0]!.name; // opened before calls came
  }

  #now(): number {
    return this.#settings.clock.monotonic();
  }

  /** Lets start what may; of each class the first that waits. */
  #pump(): void {
    const givesUpAtMs = this.#givesUpAtMs();
    if (this.#now() >= givesUpAtMs || this.#isDead) {
      this.#giveUp();
      return;
    }
    const blocked = new Set<string>();
    let atMs = Number.POSITIVE_INFINITY;
    for (const ticket of [...this.#queue]) {
      if (this.#flights.size >= this.cap || blocked.size === this.#limits.size) break;
      if (blocked.has(ticket.kind)) continue;
      const known = this.#limits.get(ticket.kind)!; // opened before calls came
      const nowMs = this.#now();
      const rest = this.#breaker.hold(nowMs);
      const wait = rest === undefined ? known.limit.wait(ticket.cost, nowMs) : { ...rest, why: "down" as const };
      if (wait === undefined) {
        this.#queue.splice(this.#queue.indexOf(ticket), 1);
        ticket.resolve(this.#start(ticket, known.limit));
      } else {
        blocked.add(ticket.kind);
        known.why = wait.why;
        atMs = Math.min(atMs, wait.atMs ?? Number.POSITIVE_INFINITY);
      }
    }
    this.#alarm.at(atMs === Number.POSITIVE_INFINITY ? atMs : Math.min(atMs, givesUpAtMs)); // else a call in flight ends
  }

  #start({ call, cost, signal }: Ticket, limit: Limit): Grant {
    const sent = limit.started(cost, this.#now());
    const tried = { call, isProbe: this.#breaker.started() };
    const flight = new AbortController();
    const abort = (): void => flight.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    this.#flights.set(flight, sent.atMs);
    let limits: LimitFacts | undefined;
    const end = (change: (nowMs: number) => void): void => {
      signal.removeEventListener("abort", abort);
      this.#flights.delete(flight);
      change(this.#now());
      this.#pump();
    };
    return {
      signal: flight.signal,
      hear: (facts) => {
        limits = facts;
      },
      answered: (used) =>
        end((nowMs) => {
          this.#replied(nowMs);
          limit.answered(sent, used, limits, nowMs);
        }),
      failed: (error) => {
        let usesTry = false;
        end((nowMs) => {
          usesTry = this.#failed(error, sent, tried, nowMs);
          if (error.throttled) limit.refused(sent, error, nowMs, this.#settings.random.next());
          else limit.failed(sent, error, nowMs, this.#breaker.hold(nowMs) !== undefined);
        });
        const nowMs = this.#now();
        const heldMs = Math.max(0, limit.heldUntilMs - nowMs, (this.#breaker.hold(nowMs)?.atMs ?? nowMs) - nowMs);
        return { usesTry, heldMs, end: this.#end };
      },
      dropped: () =>
        end((nowMs) => {
          limit.ended(sent, NOTHING, undefined, nowMs);
          this.#breaker.dropped(tried);
        }),
    };
  }

  #replied(nowMs: number): void {
    this.#lastReplyMs = nowMs;
    this.#silentSinceMs = undefined;
    this.#breaker.replied();
  }

  /** Returns whether the failure uses up one of the call's tries. */
  #failed(error: ModelError, { atMs }: Sent, tried: Tried, nowMs: number): boolean {
    const { throttled, late, retryable, status } = error;
    this.#lastFailure = error;
    const usesTry = !throttled && this.#breaker.failed(tried, error, nowMs);
    if (throttled) this.#breaker.replied();
    if (!retryable && status !== undefined) this.#replied(nowMs);
    else if (throttled || late || this.#breaker.isServers) this.#silentSinceMs ??= Math.max(atMs, this.#lastReplyMs);
    return usesTry;
  }

  /** Why a call of this signal may not start at all. */
  #endOf(signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    return this.#settings.stop?.aborted === true ? this.#settings.stop.reason : this.#end;
  }

  #givesUpAtMs(): number {
    const { giveUpAfterMs = GIVE_UP_AFTER_MS } = this.#settings;
    return (this.#silentSinceMs ?? Number.POSITIVE_INFINITY) + giveUpAfterMs;
  }

  get #isDead(): boolean {
    return this.#settings.giveUpAfterMs === undefined && this.#breaker.isDead;
  }

  /** Ends all calls, those in flight included. */
  #giveUp(): void {
    const { giveUpAfterMs = GIVE_UP_AFTER_MS } = this.#settings;
    const why = this.#isDead
      ? `no connection to ${this.#name} in 3 tries; start that server or correct its address`
      : `no reply from ${this.#name} for ${words(giveUpAfterMs)} (--give-up-after)`;
    const { message, status, bill } = this.#lastFailure!; // it is silent since then
    this.#end ??= new ModelError(`${message}; ${why}`, { retryable: false, scope: "model", status, bill });
    this.#turnAway();
    for (const flight of this.#flights.keys()) flight.abort(this.#end);
  }

  /** Calls stop waiting when the signal fires. */
  #watch(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return;
    this.#watched.add(signal);
    setMaxListeners(0, signal); // a run's calls all listen to it
    signal.addEventListener("abort", () => this.#turnAway(), { once: true });
  }

  /** Rejects queued calls that may not start at all. */
  #turnAway(): void {
    for (const ticket of this.#queue.splice(0)) {
      const ended = this.#endOf(ticket.signal);
      if (ended === undefined) this.#queue.push(ticket);
      else ticket.reject(ended);
    }
    if (this.#end === undefined) this.#pump();
  }
}

/** A call that waits. */
interface Ticket extends Admission {
  resolve(grant: Grant): void;
  reject(reason: unknown): void;
}

/** Default of `--give-up-after`, milliseconds. */
const GIVE_UP_AFTER_MS = 15 * 60_000;
/** A person is told of calls that are out for so long without any reply. */
const SILENT_MS = 20_000;

function words(ms: number): string {
  const [amount, unit] = ms < 60_000 ? [ms / 1000, "second"] : [Math.round(ms / 6000) / 10, "minute"];
  return `${amount} ${nounOf(amount, unit)}`;
}
