import type { LimitFact, LimitFacts, Measure, ModelError } from "../../errors.js";
import type { Waiting } from "../../plan/io.js";
import { Parallelism } from "./parallelism.js";
import { type Start, StartRate } from "./start-rate.js";
import { TokenBucket } from "./token-bucket.js";

/** The amounts by which a call counts against an account's limits. */
export type Cost = Readonly<Record<Measure, number>>;

/** Limits per minute that the user set. */
export type UserLimits = { readonly [measure in "requests" | "input" | "output"]?: number | undefined };

/** A call that was sent. */
export interface StartedCall {
  /** The estimate that was reserved. */
  readonly cost: Cost;
  readonly start: Start;
}

/** The facts of a reply about limits. */
export interface Observed {
  /** Actual cost of the call. Absent measures: as estimated. */
  readonly used: Partial<Cost>;
  /** From its headers. */
  readonly limits?: LimitFacts | undefined;
  /** Work of the server, in tokens written. Absent: it is not measured. */
  readonly written?: number | undefined;
}

/** The reason why a call waits, and the time when it may start. Infinity: when another call ends. */
export interface Wait {
  readonly atMs: number;
  readonly why: Waiting["why"];
}

/**
 * The limit of one account for one class of models. A call starts when all of these allow it:
 * 1. token buckets: limits that the user set, and those that reply headers name;
 * 2. the start rate, learned from refusals where no header explains them;
 * 3. the window: the most calls in flight. Each reply adds one, so it doubles with each round trip, up to the number that a slow server
 *    of this machine computes at once;
 * 4. the time that the server asked to wait.
 */
export class AccountLimit {
  readonly #userBuckets = new Map<Measure, TokenBucket>();
  readonly #serverBuckets = new Map<Measure, TokenBucket>();
  readonly #rate = new StartRate();
  readonly #parallelism = new Parallelism();
  #window: number;
  #inFlight = 0;
  #lastFailureMs = -Infinity;
  #roundTripMs = 0;
  #earliestStartMs = 0;
  heldUntilMs = 0;

  /** `window`: calls in flight at the beginning. User limits begin a tenth full, since servers may count by the second. */
  constructor(userLimits: UserLimits, window: number, nowMs: number) {
    for (const measure of ["requests", "input", "output"] as const) {
      const limit = userLimits[measure];
      if (limit !== undefined) this.#userBuckets.set(measure, new TokenBucket(limit, Math.max(1, limit / 10), nowMs));
    }
    this.#window = window;
  }

  /** Returns why a call of this cost waits; undefined where it may start now. */
  wait(cost: Cost, nowMs: number): Wait | undefined {
    const waits: Wait[] = [
      { atMs: this.heldUntilMs, why: "busy" },
      { atMs: this.#inFlight < Math.min(this.#window, this.#parallelism.most) ? nowMs : Infinity, why: "slots" },
      { atMs: this.#earliestStartMs, why: this.#rate.spacingMs === 0 ? "slots" : "rate" },
      { atMs: this.#rate.quotaMs(nowMs), why: "rate" },
    ];
    for (const [measure, bucket] of this.#buckets())
      waits.push({ atMs: bucket.readyMs(cost[measure], nowMs), why: "limit" });
    const longest = waits.reduce((a, b) => (b.atMs > a.atMs ? b : a));
    return longest.atMs <= nowMs ? undefined : longest;
  }

  start(cost: Cost, nowMs: number): StartedCall {
    for (const [measure, bucket] of this.#buckets()) bucket.take(cost[measure]);
    const start = this.#rate.started(nowMs);
    this.#inFlight += 1;
    const spreadMs = Math.min(LONGEST_SPREAD_MS, this.#roundTripMs / (2 * this.#window)); // over half a round trip
    const dueMs = Math.max(this.#earliestStartMs, nowMs - TIMER_DELAY_MS);
    this.#earliestStartMs = dueMs + Math.max(spreadMs, this.#rate.spacingMs);
    return { cost, start };
  }

  answered(call: StartedCall, observed: Observed, nowMs: number): void {
    if (call.start.atMs > this.#lastFailureMs) this.#window += 1; // calls that hang must not block others
    this.#roundTripMs = nowMs - call.start.atMs;
    const { written } = observed;
    if (written !== undefined)
      this.#parallelism.observe({ ms: this.#roundTripMs, tokens: written, inFlight: this.#inFlight });
    this.ended(call, observed, nowMs);
    this.#rate.answered(call.start, nowMs);
  }

  /** The server refused the call for now. `jitter` is uniform in [0, 1). */
  refused(call: StartedCall, { limits, retryAfterMs = 0 }: ModelError, at: { nowMs: number; jitter: number }): void {
    const { nowMs, jitter } = at;
    this.ended(call, { used: UNUSED, limits }, nowMs);
    const isEmpty = ([measure, bucket]: Bucket): boolean => bucket.readyMs(call.cost[measure], nowMs) > nowMs;
    const isExplained = [...this.#serverBuckets].some(isEmpty); // then the bucket makes calls wait
    const backoffMs = isExplained ? 0 : this.#rate.refused(call.start, retryAfterMs, nowMs) * (0.5 + 0.5 * jitter);
    this.#earliestStartMs = Math.max(this.#earliestStartMs, nowMs + this.#rate.spacingMs);
    this.#hold(retryAfterMs || backoffMs, nowMs);
  }

  /** The call failed otherwise. Where the server is not down, it may have been one too many in flight. */
  failed(call: StartedCall, { limits, retryAfterMs = 0 }: ModelError, at: { nowMs: number; isDown: boolean }): void {
    const { nowMs, isDown } = at;
    this.#lastFailureMs = nowMs;
    if (!isDown) this.#window = Math.max(SMALLEST_WINDOW, Math.min(this.#window, this.#inFlight - 1));
    this.ended(call, { used: {}, limits }, nowMs);
    this.#hold(retryAfterMs, nowMs);
  }

  /** Ends a call that was neither answered, refused nor failed. */
  ended({ cost }: StartedCall, { used, limits = {} }: Observed, nowMs: number): void {
    this.#inFlight -= 1;
    for (const [measure, bucket] of this.#buckets()) bucket.settle(cost[measure], used[measure] ?? cost[measure]);
    for (const [measure, fact] of Object.entries(limits) as [Measure, LimitFact][]) {
      const bucket = this.#serverBuckets.get(measure) ?? new TokenBucket(fact.limit, fact.remaining, nowMs);
      bucket.observe(fact, nowMs);
      this.#serverBuckets.set(measure, bucket);
    }
  }

  #hold(ms: number, nowMs: number): void {
    this.heldUntilMs = Math.max(this.heldUntilMs, nowMs + Math.min(ms, LONGEST_RETRY_AFTER_MS));
  }

  #buckets = (): Bucket[] => [...this.#serverBuckets, ...this.#userBuckets];
}

type Bucket = [Measure, TokenBucket];

/** The cost of a call that was not sent. */
export const UNUSED: Cost = { requests: 0, input: 0, output: 0, tokens: 0 };
/** A server's Retry-After counts up to here. */
export const LONGEST_RETRY_AFTER_MS = 120_000;
const SMALLEST_WINDOW = 2; // a call that hangs does not hold up all others
const LONGEST_SPREAD_MS = 100; // between two starts
const TIMER_DELAY_MS = 20; // starts that are late by so much may catch up
