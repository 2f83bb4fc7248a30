import { setMaxListeners } from "node:events";
import type { ModelError } from "../../errors.js";
import type { LimitFacts } from "../../limit-facts.js";
import type { Clock, Random } from "../../types.js";
import { Alarm } from "./alarm.js";
import * as lane from "./lane.js";
import type { Cost, LaneState, OwnLimits, Reason, Seen } from "./lane-state.js";
import { limitOf, openLane, seen } from "./lane-state.js";
import { Patience } from "./patience.js";
import { inMemory, type LaneStore } from "./store.js";

/** Calls in flight at one server, whatever their model: `--concurrency` bounds them together. */
export interface Room {
  cap: number;
  inFlight: number;
  /** The controllers that wait for a slot of it. */
  readonly waiting: Set<RateController>;
}

export const openRoom = (cap: number): Room => ({ cap, inFlight: 0, waiting: new Set() });

export interface ControllerSettings {
  /** What is waited for, in a person's words: `openai/gpt-6-luna`. */
  readonly name: string;
  /** One a server; all serve the same models. A store of its own is memory. */
  readonly servers: readonly { readonly room: Room; readonly store?: LaneStore }[];
  readonly own?: OwnLimits;
  readonly clock: Clock;
  /** Spreads waits: no result depends on it. */
  readonly random: Random;
  /** Without a reply for so long, while calls are refused, the run stops. */
  readonly giveUpAfterMs: number;
  /** Once aborted nothing starts, and whoever waits stops waiting. */
  readonly stop?: AbortSignal;
  /** All slots are there at once: nothing is sent to anybody. */
  readonly unpaced?: boolean;
}

/** A call that may start. One of its endings must be called, once. */
export interface Grant {
  /** Index of the server. */
  readonly server: number;
  readonly hear: (limits: LimitFacts) => void;
  answered(used: Partial<Cost>): void;
  /** Refused for now. Tells for how long nothing starts there, and the stop of the run where that has lasted too long. */
  refused(error: ModelError): { readonly heldMs: number; readonly givenUp: ModelError | undefined };
  failed(error: ModelError): void;
  /** Nothing was sent, or nobody waits any more. */
  dropped(): void;
}

/** Calls that wait for their start. */
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
  /** Since when it waits, on the clock; before all that came later. */
  readonly again?: { readonly sinceMs: number; readonly avoid?: number };
}

/** A server's Retry-After counts up to here. */
export const LONGEST_ASKED_MS = 120_000;

/**
 * Lets calls start as fast as the account allows and no faster, first come, first served; one for each endpoint, account and
 * class of models, shared by all methods and arms. With several servers a call goes to the least busy that takes it.
 */
export class RateController {
  readonly #settings: ControllerSettings;
  readonly #lanes: readonly Lane[];
  readonly #alarm: Alarm;
  readonly #patience: Patience;
  readonly #again: Ticket[] = [];
  readonly #queue: Ticket[] = [];
  readonly #watched = new WeakSet<AbortSignal>();
  #why: Reason = "slots";

  constructor(settings: ControllerSettings) {
    this.#settings = settings;
    const { servers, own = {}, clock, unpaced, stop } = settings;
    this.#lanes = servers.map(({ room, store }) => ({
      room,
      store: store ?? inMemory(openLane(own, clock.monotonic(), unpaced === true ? room.cap : 1)),
    }));
    this.#patience = new Patience(
      settings,
      this.#lanes.map(({ store }) => store),
    );
    this.#alarm = new Alarm(clock, () => this.pump());
    if (stop !== undefined) this.#watch(stop, () => true);
  }

  get name(): string {
    return this.#settings.name;
  }

  /**
   * Ends when the call may start. Rejects with the reason of `signal`, or of the stop, where one aborts before, and with the
   * stop of the run where servers refuse for too long.
   */
  admit(cost: Cost, signal: AbortSignal, { again }: Admission = {}): Promise<Grant> {
    const { stop } = this.#settings;
    if (stop?.aborted === true) return Promise.reject(stop.reason);
    if (signal.aborted) return Promise.reject(signal.reason);
    this.#watch(signal, (ticket) => ticket.signal === signal);
    return new Promise((resolve, reject) => {
      const sinceMs = again?.sinceMs ?? this.#now();
      const ticket: Ticket = { cost, signal, avoid: again?.avoid, sinceMs, resolve, reject };
      (again === undefined ? this.#queue : this.#again).push(ticket);
      this.pump();
    });
  }

  /** Lets start what may. */
  pump(): void {
    for (;;) {
      const ticket = this.#again[0] ?? this.#queue[0];
      if (ticket === undefined) {
        this.#alarm.clear();
        return;
      }
      const ended = [ticket.signal, this.#settings.stop].find((signal) => signal?.aborted === true);
      const { server, atMs, why } = ended === undefined ? this.#chosen(ticket) : {};
      const reason = ended?.reason ?? (server === undefined ? this.#patience.ended() : undefined);
      if (server === undefined && reason === undefined) {
        this.#why = why ?? "slots";
        if (atMs !== undefined) this.#alarm.set(Math.min(atMs, this.#patience.endsAtMs() ?? atMs));
        return;
      }
      (this.#again.length > 0 ? this.#again : this.#queue).shift();
      if (server === undefined) ticket.reject(reason);
      else ticket.resolve(this.#start(ticket.cost, server));
    }
  }

  /** Holds the starts at a server that asked for it. */
  hold(server: number, askedMs: number): void {
    const ms = Math.min(askedMs, LONGEST_ASKED_MS);
    this.#lanes[server]?.store.update((state) => lane.holdFor(state, ms, this.#now()));
  }

  /** Undefined where no call waits. */
  waiting(): Waiting | undefined {
    const all = [...this.#again, ...this.#queue];
    if (all.length === 0) return undefined;
    const oldestMs = this.#now() - Math.min(...all.map(({ sinceMs }) => sinceMs));
    const why = this.#why;
    const perMinute = this.#lanes[0]?.store.update((state) => limitOf(state, why));
    return {
      name: this.#settings.name,
      calls: all.length,
      oldestMs,
      why,
      ...(perMinute === undefined ? {} : { perMinute }),
    };
  }

  /** What is known of each server, for the manifest and the last line of a run. */
  seen(): readonly Seen[] {
    return this.#lanes.map(({ store }) => store.update(seen));
  }

  #now(): number {
    return this.#settings.clock.monotonic();
  }

  /** The least busy server that lets the call start now; else the earliest time at which one may. */
  #chosen({ cost, avoid }: Ticket): Choice {
    const nowMs = this.#now();
    let found: Choice = { why: "slots" };
    let least = Number.POSITIVE_INFINITY;
    for (const [server, { room, store }] of this.#lanes.entries()) {
      if (room.inFlight >= room.cap) {
        room.waiting.add(this);
        continue;
      }
      const verdict = store.update((state) => lane.mayStart(state, cost, nowMs, room.cap));
      const load = verdict.go ? verdict.load + (server === avoid ? 1 : 0) : Number.POSITIVE_INFINITY;
      if (verdict.go && load < least) {
        least = load;
        found = { server, why: "slots" };
      } else if (!verdict.go && found.server === undefined && (verdict.atMs ?? Infinity) < (found.atMs ?? Infinity)) {
        found = { atMs: verdict.atMs, why: verdict.why };
      } else if (!verdict.go && found.server === undefined && found.atMs === undefined) {
        found = { why: verdict.why };
      }
    }
    return found;
  }

  #start(cost: Cost, server: number): Grant {
    const { room, store } = this.#lanes[server]!; // chosen among these
    const call = store.update((state) => lane.started(state, cost, this.#now()));
    room.inFlight += 1;
    let limits: LimitFacts | undefined;
    const end = <T>(change: (state: LaneState) => T): T => {
      room.inFlight -= 1;
      const result = store.update(change);
      this.#wake(room);
      return result;
    };
    return {
      server,
      hear: (facts) => {
        limits = facts;
      },
      answered: (used) => end((state) => lane.answered(state, call, { used, limits }, this.#now())),
      refused: (error) => {
        const askedMs = Math.min(error.retryAfterMs ?? 0, LONGEST_ASKED_MS);
        const refusal = { askedMs, limits: error.limits, overloaded: error.status === OVERLOADED };
        const spread = this.#settings.random.next();
        const heldMs = end((state) => lane.refused(state, call, refusal, this.#now(), spread));
        return { heldMs, givenUp: this.#patience.tried(error) };
      },
      failed: (error) =>
        end((state) => {
          lane.failed(state, call, error.limits, this.#now());
          if (this.#lanes.length > 1) lane.rest(state, this.#now()); // the others go on meanwhile
        }),
      dropped: () => end((state) => lane.dropped(state, call)),
    };
  }

  /** Whoever waits for a slot at this server looks again. */
  #wake(room: Room): void {
    const others = [...room.waiting].filter((one) => one !== this);
    room.waiting.clear();
    this.pump();
    for (const other of others) other.pump();
  }

  /** Calls stop waiting when the signal fires. */
  #watch(signal: AbortSignal, isOf: (ticket: Ticket) => boolean): void {
    if (this.#watched.has(signal)) return;
    this.#watched.add(signal);
    setMaxListeners(0, signal); // a run's controllers all listen to its signals
    signal.addEventListener("abort", () => this.#turnAway(signal, isOf), { once: true });
  }

  #turnAway(signal: AbortSignal, isOf: (ticket: Ticket) => boolean): void {
    for (const queue of [this.#again, this.#queue])
      for (const ticket of queue.splice(0)) {
        if (isOf(ticket)) ticket.reject(signal.reason);
        else queue.push(ticket);
      }
    this.pump();
  }
}

const OVERLOADED = 529;

interface Lane {
  readonly room: Room;
  readonly store: LaneStore;
}

/** A call that waits. */
interface Ticket {
  readonly cost: Cost;
  readonly signal: AbortSignal;
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
