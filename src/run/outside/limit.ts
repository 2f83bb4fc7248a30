import type { LimitFacts, Measure, ModelError } from "../../errors.js";
import { isUnreached } from "./breaker.js";
import { Bucket } from "./bucket.js";
import { Rate, type Start } from "./rate.js";

/** What a call is expected to use up. */
export type Cost = Readonly<Record<Measure, number>>;

/** Limits a minute that the user set. */
export type OwnLimits = { readonly [measure in "requests" | "input" | "output"]?: number | undefined };

/** Why a call waits: calls in flight, a server that asked to wait or is busy, the rate that it was seen to take, a limit that it told. */
export type Reason = "slots" | "asked" | "busy" | "rate" | Measure;

/** A call that was sent. */
export interface Sent extends Start {
  readonly cost: Cost;
}

/** Until when a call waits, and why; `atMs` undefined: until another call ends. */
export interface Wait {
  readonly atMs: number | undefined;
  readonly why: Reason;
}

/** What was learned of an account's limits. */
export interface SeenLimit {
  readonly started: number;
  readonly refused: number;
  /** A minute, by what is counted. */
  readonly limits: Readonly<Partial<Record<Measure, number>>>;
}

/**
 * How fast one account may be sent calls of one class of models: by reply headers where there are any, else by the rate that
 * refusals teach. Calls in flight double with every round.
 */
export class Limit {
  readonly #buckets = new Map<Measure, Bucket>();
  readonly #rate = new Rate();
  readonly #counts = { started: 0, refused: 0 };
  #inFlight = 0;
  #slots: number;
  #lastFailureMs = Number.NEGATIVE_INFINITY;
  /** Smoothed time of a reply, milliseconds. */
  #replyMs = 0;
  /** A round of calls does not start at once. */
  #spacedMs = 0;
  #held: { untilMs: number; why: "asked" | "busy" } = { untilMs: 0, why: "asked" };

  /** `slots`: calls in flight at the beginning. */
  constructor(own: OwnLimits, nowMs: number, slots: number) {
    for (const measure of ["requests", "input", "output"] as const) {
      const perMinute = own[measure];
      if (perMinute !== undefined) this.#buckets.set(measure, Bucket.own(perMinute, nowMs));
    }
    this.#slots = slots;
  }

  /** Undefined where a call of this cost may start now. */
  wait(cost: Cost, nowMs: number): Wait | undefined {
    const { untilMs, why } = this.#held;
    if (nowMs < untilMs) return { atMs: untilMs, why };
    if (this.#inFlight >= this.#slots) return { atMs: undefined, why: "slots" };
    const waits = [...this.#buckets].map(
      ([measure, bucket]) => [bucket.waitMs(cost[measure] * MARGIN, nowMs), measure] as const,
    );
    const all = [[this.#spacedMs - nowMs, "slots"] as const, [this.#rate.waitMs(nowMs), "rate"] as const, ...waits];
    const [ms, reason] = all.reduce((a, b) => (b[0] > a[0] ? b : a));
    return ms <= 0 ? undefined : { atMs: nowMs + ms, why: reason };
  }

  started(cost: Cost, nowMs: number): Sent {
    for (const [measure, bucket] of this.#buckets) bucket.take(cost[measure]);
    const sent = { cost, atMs: nowMs, isRefused: false };
    this.#rate.started(sent);
    this.#inFlight += 1;
    this.#counts.started += 1;
    const apartMs = Math.min(LONGEST_APART_MS, this.#replyMs / (2 * this.#slots));
    this.#spacedMs = Math.max(this.#spacedMs, nowMs - LATE_MS) + apartMs;
    return sent;
  }

  /** A reply came. `used`: what it really took, where that is told. */
  answered(sent: Sent, used: Partial<Cost>, limits: LimitFacts | undefined, nowMs: number): void {
    if (sent.atMs > this.#lastFailureMs) this.#slots += 1; // also while some hang: they must not keep the others from going on
    this.ended(sent, used, limits, nowMs);
    this.#replyMs += (nowMs - sent.atMs - this.#replyMs) * (this.#replyMs === 0 ? 1 : NEWEST);
    this.#rate.answered(sent, nowMs);
  }

  /** The server refused the call for now. `spread` is uniform in [0, 1). Where a header says why, its bucket says how long. */
  refused(sent: Sent, error: ModelError, nowMs: number, spread: number): void {
    const { limits, status, retryAfterMs: askedMs = 0 } = error;
    this.#counts.refused += 1;
    sent.isRefused = true;
    this.ended(sent, NOTHING, limits, nowMs);
    const isExplained = [...this.#buckets].some(([measure, bucket]) =>
      bucket.lacks(limits?.[measure], sent.cost[measure] * MARGIN),
    );
    if (!isExplained && status !== OVERLOADED) this.#rate.refused(sent, { askedMs, replyMs: this.#replyMs }, nowMs);
    if (this.holdAsAsked(error, nowMs) || isExplained || nowMs < this.#held.untilMs) return;
    const ms = status === OVERLOADED ? OVERLOADED_MS : this.#rate.holdMs;
    this.#held = { untilMs: nowMs + ms * (0.5 + 0.5 * spread), why: "busy" };
  }

  /** A call failed otherwise. Where the server is not down (`isDown`), it may have been one too many in flight. */
  failed(sent: Sent, error: ModelError, nowMs: number, isDown: boolean): void {
    this.#lastFailureMs = nowMs;
    if (!isDown) this.#slots = Math.max(FEWEST_SLOTS, Math.min(this.#slots, this.#inFlight - 1));
    this.ended(sent, isUnreached(error) ? NOTHING : {}, error.limits, nowMs);
    this.holdAsAsked(error, nowMs);
  }

  /** A call ended without a reply, or (`NOTHING` used) was not sent. */
  ended({ cost }: Sent, used: Partial<Cost>, limits: LimitFacts | undefined, nowMs: number): void {
    this.#inFlight -= 1;
    for (const measure of measures) {
      this.#buckets.get(measure)?.settle(cost[measure], used[measure] ?? cost[measure]);
      const fact = limits?.[measure];
      if (fact === undefined) continue;
      const bucket = Bucket.heard(this.#buckets.get(measure), fact, nowMs);
      if (bucket === undefined) this.#buckets.delete(measure);
      else this.#buckets.set(measure, bucket);
    }
  }

  /** Retry-After: no call starts for so long. Returns whether the server asked for anything. */
  holdAsAsked({ retryAfterMs = 0 }: ModelError, nowMs: number): boolean {
    const untilMs = nowMs + Math.min(retryAfterMs, LONGEST_ASKED_MS);
    if (untilMs > this.#held.untilMs) this.#held = { untilMs, why: "asked" };
    return retryAfterMs > 0;
  }

  get heldUntilMs(): number {
    return this.#held.untilMs;
  }

  seen(): SeenLimit {
    const limits = [...this.#buckets].map(([measure, { perMinute }]) => [measure, Math.round(perMinute)]);
    return { ...this.#counts, limits: Object.fromEntries(limits) };
  }
}

const measures = ["requests", "input", "output", "tokens"] as const satisfies readonly Measure[];
export const NOTHING: Cost = { requests: 0, input: 0, output: 0, tokens: 0 };

/** What a bucket must hold beyond the expected cost. */
const MARGIN = 1.05;
/** A server's Retry-After counts up to here. */
export const LONGEST_ASKED_MS = 120_000;
/** By everybody (Anthropic): no reason to ask more slowly. */
const OVERLOADED = 529;
const OVERLOADED_MS = 5_000;
/** A call that hangs must not keep all others from going on. */
const FEWEST_SLOTS = 2;
/** Weight of the newest reply's time. */
const NEWEST = 0.2;
/** Between two starts of a round. */
const LONGEST_APART_MS = 100;
/** Timers are late: starts that were due for so long may catch up. */
const LATE_MS = 20;
