import { setMaxListeners } from "node:events";
import type { LimitFacts } from "../../errors.js";
import { ModelError } from "../../errors.js";
import { nounOf } from "../../text/count.js";
import type { Clock, Random } from "../../types/index.js";
import { ALONE_MS } from "./outage.js";
import { type Cost, type OwnLimits, type Reason, type Seen, ServerSlots } from "./server-slots.js";

/** Concurrency limit of one server, over all its models (`--concurrency`). */
export interface Room {
  cap: number;
  inFlight: number;
  /** The limiters that wait for a slot of it. */
  readonly waiting: Set<Limiter>;
}

export const openRoom = (cap: number): Room => ({ cap, inFlight: 0, waiting: new Set() });

export interface LimiterSettings {
  /** The model as printed: `openai/gpt-6-luna`. */
  readonly name: string;
  /** All serve the same models. */
  readonly servers: readonly LimitedServer[];
  readonly own?: OwnLimits;
  readonly clock: Clock;
  /** Spreads waits: no result depends on it. */
  readonly random: Random;
  /** Without a reply for so long, while calls are refused or fail, the model is given up. Absent: 15 minutes, and at once a host that takes no connection. */
  readonly giveUpAfterMs?: number | undefined;
  /** Once aborted nothing starts, and queued calls are rejected. */
  readonly stop?: AbortSignal;
}

interface LimitedServer {
  readonly room: Room;
  /** Slots at the beginning. Default: 1. */
  readonly slots?: number;
  /** Absent: the provider's own. */
  readonly address?: string | undefined;
}

/** A call that may start. One of its endings must be called, once. */
export interface Grant {
  readonly server: number;
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
  readonly end: ModelError | undefined;
}

export interface Waiting {
  readonly name: string;
  readonly calls: number;
  readonly oldestMs: number;
  readonly why: Reason;
  /** A minute, of the limit that `why` names. */
  readonly perMinute?: number;
}

/** How a call asks for its start. */
export interface Admission {
  /** The call, the same for all its tries. Absent: one of its own. */
  readonly call?: object;
  /** Since when it waits, on the clock; before all that came later. */
  readonly again?: { readonly sinceMs: number; readonly avoid?: number };
}

/** Default of `--give-up-after`, milliseconds. */
const GIVE_UP_AFTER_MS = 15 * 60_000;

/**
 * Lets calls start as fast as the account allows and no faster, first come, first served; one for each endpoint, account and
 * class of models, shared by all methods and arms. With several servers a call goes to the least busy that takes it.
 */
export class Limiter {
  readonly #settings: LimiterSettings;
  readonly #servers: readonly (LimitedServer & { readonly state: ServerSlots })[];
  /** Those that go again first. */
  readonly #queue: Ticket[] = [];
  readonly #watched = new WeakSet<AbortSignal>();
  #alarm: { readonly atMs: number; readonly off: AbortController } | undefined;
  #why: Reason = "slots";
  #lastFailure: ModelError | undefined;
  #end: ModelError | undefined;

  constructor(settings: LimiterSettings) {
    this.#settings = settings;
    const { servers, own = {}, clock, giveUpAfterMs: aloneMs = ALONE_MS, stop } = settings;
    const nowMs = clock.monotonic();
    this.#servers = servers.map((server) => ({
      ...server,
      state: new ServerSlots(own, nowMs, server.slots ?? 1, aloneMs),
    }));
    if (stop !== undefined) this.#watch(stop);
  }

  get name(): string {
    return this.#settings.name;
  }

  /**
   * Ends when the call may start. Rejects with the reason of `signal`, or of the stop, where one aborts before, and with why
   * the model is given up.
   */
  admit(cost: Cost, signal: AbortSignal, { call = {}, again }: Admission = {}): Promise<Grant> {
    const ended = this.#endOf(signal);
    if (ended !== undefined) return Promise.reject(ended);
    this.#watch(signal);
    return new Promise((resolve, reject) => {
      const sinceMs = again?.sinceMs ?? this.#now();
      const first = again === undefined ? -1 : this.#queue.findIndex((other) => !other.isAgain);
      const isAgain = again !== undefined;
      const ticket: Ticket = { call, cost, signal, isAgain, avoid: again?.avoid, sinceMs, resolve, reject };
      this.#queue.splice(first === -1 ? this.#queue.length : first, 0, ticket);
      this.pump();
    });
  }

  /** Lets start what may. */
  pump(): void {
    for (;;) {
      const [ticket] = this.#queue;
      const { server, atMs, why }: Choice = ticket === undefined ? { why: "slots" } : this.#chosen(ticket);
      if (ticket === undefined || server === undefined) {
        this.#why = why;
        if (ticket !== undefined && this.#givenUp() !== undefined) this.#turnAway();
        else this.#setAlarm(atMs === undefined ? undefined : Math.min(atMs, this.#givesUpAtMs()));
        return;
      }
      this.#queue.shift();
      ticket.resolve(this.#start(ticket, server));
    }
  }

  waiting(): Waiting | undefined {
    const calls = this.#queue.length;
    if (calls === 0) return undefined;
    const oldestMs = this.#now() - Math.min(...this.#queue.map(({ sinceMs }) => sinceMs));
    const why = this.#why;
    const perMinute = this.#servers[0]?.state.limitOf(why);
    const { name } = this.#settings;
    return { name, calls, oldestMs, why, ...(perMinute === undefined ? {} : { perMinute }) };
  }

  /** What is known of each server, for the manifest and the last line of a run. */
  seen(): readonly Seen[] {
    return this.#servers.map(({ state }) => state.seen());
  }

  #now(): number {
    return this.#settings.clock.monotonic();
  }

  /** Why a call of this signal may not start at all. */
  #endOf(signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    return this.#settings.stop?.aborted === true ? this.#settings.stop.reason : this.#end;
  }

  /** The least busy server that lets the call start now; else the earliest time at which one may. */
  #chosen({ cost, avoid }: Ticket): Choice {
    const nowMs = this.#now();
    let found: Choice = { why: "slots" };
    let least = Number.POSITIVE_INFINITY;
    for (const [server, { room, state }] of this.#servers.entries()) {
      if (room.inFlight >= room.cap) {
        room.waiting.add(this);
        continue;
      }
      const verdict = state.mayStart(cost, nowMs, room.cap);
      if (verdict.go) {
        const load = verdict.load + (server === avoid ? 1 : 0);
        if (load < least) [least, found] = [load, { server, why: "slots" }];
      } else if (found.server === undefined && (verdict.atMs ?? Infinity) <= (found.atMs ?? Infinity))
        found = { atMs: verdict.atMs, why: verdict.why };
    }
    return found;
  }

  #start({ call, cost }: Ticket, server: number): Grant {
    const { room, state } = this.#servers[server]!; // chosen among these
    const started = state.started(call, cost, this.#now());
    room.inFlight += 1;
    let limits: LimitFacts | undefined;
    const end = <T>(change: () => T): T => {
      room.inFlight -= 1;
      const result = change();
      this.#wake(room);
      return result;
    };
    return {
      server,
      hear: (facts) => {
        limits = facts;
      },
      answered: (used) => end(() => state.answered(started, used, limits, this.#now())),
      failed: (error) =>
        end(() => {
          const nowMs = this.#now();
          const usesTry = !error.throttled && state.failed(started, error, nowMs);
          if (error.throttled) state.refused(started, error, nowMs, this.#settings.random.next());
          this.#lastFailure = error;
          return { usesTry, heldMs: state.heldMs(nowMs), end: this.#givenUp() };
        }),
      dropped: () => end(() => state.dropped(started)),
    };
  }

  /** When the model is given up, on the clock, if no reply comes: all its servers must refuse or fail. */
  #givesUpAtMs(): number {
    const { giveUpAfterMs = GIVE_UP_AFTER_MS } = this.#settings;
    const since = this.#servers.map(({ state }) => state.silentSinceMs ?? Number.POSITIVE_INFINITY);
    return Math.max(...since) + giveUpAfterMs;
  }

  /** Why the model is given up, where it is. */
  #givenUp(): ModelError | undefined {
    const { name, giveUpAfterMs, servers } = this.#settings;
    if (this.#end !== undefined || this.#lastFailure === undefined) return this.#end;
    const { message, status, bill } = this.#lastFailure;
    const isDead = giveUpAfterMs === undefined && this.#servers.every(({ state }) => state.outage.isDead);
    if (!isDead && this.#now() < this.#givesUpAtMs()) return undefined;
    const hosts = servers.map(({ address = name }) => address).join(", ");
    const why = isDead
      ? `no connection to ${hosts} in 3 tries; start that server or correct its address`
      : `no reply from ${name} for ${words(giveUpAfterMs ?? GIVE_UP_AFTER_MS)} (--give-up-after)`;
    this.#end = new ModelError(`${message}; ${why}`, { retryable: false, scope: "model", status, bill });
    return this.#end;
  }

  /** Limiters that wait for a slot at this server look again. */
  #wake(room: Room): void {
    const others = [...room.waiting].filter((one) => one !== this);
    room.waiting.clear();
    this.pump();
    for (const other of others) other.pump();
  }

  #setAlarm(atMs: number | undefined): void {
    if (this.#alarm?.atMs === atMs) return;
    this.#alarm?.off.abort();
    this.#alarm = undefined;
    if (atMs === undefined) return;
    const alarm = { atMs, off: new AbortController() };
    this.#alarm = alarm;
    this.#settings.clock.sleep(Math.max(0, atMs - this.#now()), alarm.off.signal).then(
      () => {
        if (this.#alarm !== alarm) return;
        this.#alarm = undefined;
        this.pump();
      },
      () => undefined, // put off
    );
  }

  /** Calls stop waiting when the signal fires. */
  #watch(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return;
    this.#watched.add(signal);
    setMaxListeners(0, signal); // a run's limiters all listen to its signals
    signal.addEventListener("abort", () => this.#turnAway(), { once: true });
  }

  /** Rejects queued calls that may not start at all. */
  #turnAway(): void {
    for (const ticket of this.#queue.splice(0)) {
      const ended = this.#endOf(ticket.signal);
      if (ended === undefined) this.#queue.push(ticket);
      else ticket.reject(ended);
    }
    this.pump();
  }
}

/** A call that waits. */
interface Ticket {
  readonly call: object;
  readonly cost: Cost;
  readonly signal: AbortSignal;
  readonly isAgain: boolean;
  /** The server that failed it last. */
  readonly avoid: number | undefined;
  readonly sinceMs: number;
  resolve(grant: Grant): void;
  reject(reason: unknown): void;
}

/** Where a call starts; without a server the time at which one may take it, where that is known. */
interface Choice {
  readonly server?: number;
  readonly atMs?: number | undefined;
  readonly why: Reason;
}

function words(ms: number): string {
  const [amount, unit] = ms < 60_000 ? [ms / 1000, "second"] : [Math.round(ms / 6000) / 10, "minute"];
  return `${amount} ${nounOf(amount, unit)}`;
}
