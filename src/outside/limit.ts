import type { LimitFact, LimitFacts, Measure, ModelError } from "../errors.js";
import type { Reason } from "../plan/io.js";

/** What a call is expected to use up. */
export type Cost = Readonly<Record<Measure, number>>;

/** Limits a minute that the user set. */
export type OwnLimits = { readonly [measure in "requests" | "input" | "output"]?: number | undefined };

/** When a call was sent, on the clock. */
interface Start {
  readonly atMs: number;
  isRefused: boolean;
}

/** A call that was sent. */
export interface Sent {
  readonly cost: Cost;
  readonly start: Start;
}

/**
 * How fast one account may be sent calls of one class of models: as the user set it and reply headers tell, else by the rate that
 * refusals teach. Each reply adds a slot, so slots double with each round trip.
 */
export class Limit {
  readonly #own = new Map<Measure, Bucket>();
  readonly #told = new Map<Measure, Bucket>();
  readonly #rate = new Rate();
  #inFlight = 0;
  #slots: number;
  #lastFailureMs = -Infinity;
  /** How long the last reply took. */
  #replyMs = 0;
  /** Starts are spaced. */
  #nextMs = 0;
  /** The server asked to wait, or is busy. */
  heldUntilMs = 0;

  /** `slots`: calls in flight at the beginning. A limit of one's own begins a tenth full, since servers may count by the second. */
  constructor(own: OwnLimits, slots: number, nowMs: number) {
    for (const measure of ["requests", "input", "output"] as const) {
      const limit = own[measure];
      if (limit !== undefined) this.#own.set(measure, new Bucket(limit, Math.max(1, limit / 10), nowMs));
    }
    this.#slots = slots;
  }

  /** Returns until when a call of this cost waits, and why; Infinity: until another ends. Undefined where it may start now. */
  wait(cost: Cost, nowMs: number): { readonly atMs: number; readonly why: Reason } | undefined {
    const waits: [number, Reason][] = [
      [this.heldUntilMs, "busy"],
      [this.#inFlight < this.#slots ? nowMs : Infinity, "slots"],
      [this.#nextMs, this.#rate.perMs === Infinity ? "slots" : "rate"],
      [this.#rate.inMinuteMs(nowMs), "rate"],
      ...this.#buckets().map(([measure, bucket]): [number, Reason] => [bucket.filledMs(cost[measure], nowMs), "limit"]),
    ];
    const [atMs, why] = waits.reduce((a, b) => (b[0] > a[0] ? b : a));
    return atMs <= nowMs ? undefined : { atMs, why };
  }

  start(cost: Cost, nowMs: number): Sent {
    for (const [measure, bucket] of this.#buckets()) bucket.take(cost[measure]);
    const start = this.#rate.started(nowMs);
    this.#inFlight += 1;
    const apartMs = Math.min(LONGEST_APART_MS, this.#replyMs / (2 * this.#slots)); // spreads starts over half a round trip
    this.#nextMs = Math.max(this.#nextMs, nowMs - LATE_MS) + Math.max(apartMs, 1 / this.#rate.perMs);
    return { cost, start };
  }

  /** A reply came. `used`: what it really took, where that is told. */
  answered(sent: Sent, used: Partial<Cost>, told: LimitFacts | undefined, nowMs: number): void {
    if (sent.start.atMs > this.#lastFailureMs) this.#slots += 1; // also while some hang: they must not keep the others from going on
    this.ended(sent, used, told, nowMs);
    this.#replyMs = nowMs - sent.start.atMs;
    this.#rate.answered(sent.start, nowMs);
  }

  /** The server refused the call for now. `jitter` is uniform in [0, 1). No hold is added where a told limit already makes the call wait. */
  refused(sent: Sent, { limits, retryAfterMs = 0 }: ModelError, nowMs: number, jitter: number): void {
    this.ended(sent, NOTHING, limits, nowMs);
    const isTold = [...this.#told].some(([measure, bucket]) => bucket.filledMs(sent.cost[measure], nowMs) > nowMs);
    const holdMs = isTold ? 0 : this.#rate.refused(sent.start, retryAfterMs, nowMs) * (0.5 + 0.5 * jitter);
    this.#nextMs = Math.max(this.#nextMs, nowMs + 1 / this.#rate.perMs);
    this.#hold(retryAfterMs || holdMs, nowMs);
  }

  /** A call failed otherwise. Where the server is not down, it may have been one too many in flight. */
  failed(sent: Sent, { limits, retryAfterMs = 0 }: ModelError, nowMs: number, isDown: boolean): void {
    this.#lastFailureMs = nowMs;
    if (!isDown) this.#slots = Math.max(FEWEST_SLOTS, Math.min(this.#slots, this.#inFlight - 1));
    this.ended(sent, {}, limits, nowMs);
    this.#hold(retryAfterMs, nowMs);
  }

  /** Gives back the slot and books what was used: absent members as expected; `NOTHING`: the call was not sent. */
  ended({ cost }: Sent, used: Partial<Cost>, told: LimitFacts | undefined, nowMs: number): void {
    this.#inFlight -= 1;
    for (const [measure, bucket] of this.#buckets()) bucket.settle(cost[measure], used[measure] ?? cost[measure]);
    for (const [name, fact] of Object.entries(told ?? {})) {
      const measure = name as Measure; // so it is typed
      const bucket = this.#told.get(measure) ?? new Bucket(fact.limit, fact.remaining, nowMs);
      bucket.hear(fact, nowMs);
      this.#told.set(measure, bucket);
    }
  }

  #hold(ms: number, nowMs: number): void {
    this.heldUntilMs = Math.max(this.heldUntilMs, nowMs + Math.min(ms, LONGEST_ASKED_MS));
  }

  #buckets(): [Measure, Bucket][] {
    return [...this.#told, ...this.#own];
  }
}

/** Tokens or requests over a time. */
class Bucket {
  /** Most that it holds. */
  #limit: number;
  #level: number;
  /** When `#level` was right. */
  #atMs: number;
  /** Milliseconds in which an empty one is full again; 0 until a reset tells. */
  #windowMs = 0;
  /** Taken by calls in flight: the server may not have counted it yet. */
  #out = 0;

  constructor(limit: number, level: number, nowMs: number) {
    this.#limit = limit;
    this.#level = level;
    this.#atMs = nowMs;
  }

  /** Returns when it holds `amount`, or all that it can hold. */
  filledMs(amount: number, nowMs: number): number {
    this.#refill(nowMs);
    const lacks = Math.min(amount, this.#limit) - this.#level;
    return lacks <= 0 ? nowMs : nowMs + Math.max(1, Math.ceil(lacks / this.#perMs));
  }

  take(amount: number): void {
    this.#level -= amount;
    this.#out += amount;
  }

  /** A call has ended that was expected to take `amount`. */
  settle(amount: number, used: number): void {
    this.#out -= amount;
    this.#level += amount - used;
  }

  /** Takes up what is told, which may be older than the calls in flight. */
  hear({ limit, remaining, resetMs, offMs = 0 }: LimitFact, nowMs: number): void {
    this.#refill(nowMs);
    this.#limit = limit;
    this.#level = Math.min(remaining, Math.max(this.#level, remaining - this.#out));
    const used = limit - remaining - 1;
    if (resetMs === undefined || used < limit * TELLING_SHARE) return;
    // The used part comes back until the reset. Within a fixed window that time shrinks: the longest seen counts, less 2 % a reply.
    const ms = Math.max(((resetMs + offMs) * limit) / used, this.#windowMs * FORGETTING);
    this.#windowMs = Math.max(SHORTEST_WINDOW_MS, Math.min(MINUTE_MS, ms));
  }

  get #perMs(): number {
    return this.#limit / (this.#windowMs || MINUTE_MS);
  }

  #refill(nowMs: number): void {
    const grown = this.#level + (nowMs - this.#atMs) * this.#perMs;
    this.#level = Math.min(Math.max(this.#level, this.#limit), grown);
    this.#atMs = nowMs;
  }
}

/**
 * The rate of starts that a server takes, learned from refusals alone: none until the first, then that of the last second. Refusals in a
 * row: times 0.8 each. First refusal after a success: times 0.8 or the last minute's rate, the lower, but at least the rate since the
 * first refusal. Replies raise it in small steps. After long silence: as many starts a minute as the server took (`#perMinute`).
 */
class Rate {
  /** Starts a millisecond; Infinity before the first refusal and where `#perMinute` counts. */
  perMs = Infinity;
  /** Of the last minute and some time before it. */
  #starts: Start[] = [];
  #firstRefusalMs = 0;
  #lastRefusalMs = -Infinity;
  /** Refusals without a start in between that was taken, since when, and what was taken in the minute before. */
  #silence = { refusals: 0, sinceMs: 0, taken: 0 };
  /** The last step up or down, and the replies since. */
  #step = { atMs: 0, replies: 0 };
  /** Most starts a minute. */
  #perMinute: number | undefined;

  /** Returns when the starts of the last minute are few enough. */
  inMinuteMs(nowMs: number): number {
    if (this.#perMinute === undefined || nowMs - this.#lastRefusalMs >= MINUTE_MS) return nowMs;
    return (this.#starts.at(-this.#perMinute)?.atMs ?? -Infinity) + MINUTE_MS;
  }

  started(atMs: number): Start {
    const start = { atMs, isRefused: false };
    const oldest = this.#starts[0] ?? start;
    if (oldest.atMs < atMs - 2 * MINUTE_MS) this.#starts = this.#starts.filter((one) => one.atMs > atMs - MINUTE_MS);
    this.#starts.push(start);
    return start;
  }

  answered({ atMs }: Start, nowMs: number): void {
    if (this.perMs === Infinity || atMs < this.#step.atMs) return;
    this.#step.replies += 1;
    if (nowMs - this.#step.atMs < STEP_MS || this.#step.replies < STEP_REPLIES) return;
    this.perMs *= STEP;
    this.#step = { atMs: nowMs, replies: 0 };
  }

  /** A call was refused. `askedMs`: how long the server asks to wait. Returns how long nothing is to start. */
  refused(start: Start, askedMs: number, nowMs: number): number {
    start.isRefused = true;
    const since = this.#lastRefusalMs;
    if (start.atMs < since) return 0; // calls refused together tell one thing
    const isFirst = since === -Infinity;
    if (isFirst) this.#firstRefusalMs = nowMs;
    if (isFirst || this.#taken(since, start.atMs) > 0)
      this.#silence = { refusals: 0, sinceMs: nowMs, taken: this.#taken(nowMs - MINUTE_MS, nowMs) };
    const { sinceMs, taken } = this.#silence;
    const refusals = ++this.#silence.refusals;
    const isSilent = taken >= FEWEST_TAKEN && nowMs + askedMs - sinceMs >= SILENT_MS;
    if (this.#perMinute === undefined ? isSilent : refusals === 1) this.#perMinute = Math.max(1, taken);
    const perMinute = this.#perMinute ?? Math.max(1, this.#afterRefusal(refusals, nowMs) * MINUTE_MS);
    const perMs = perMinute / MINUTE_MS;
    this.perMs = this.#perMinute === undefined ? perMs : Infinity;
    this.#lastRefusalMs = nowMs;
    this.#step = { atMs: nowMs, replies: 0 };
    return Math.min(LONGEST_HOLD_MS, 2 ** refusals / perMs);
  }

  #afterRefusal(refusals: number, nowMs: number): number {
    if (this.perMs === Infinity) return Math.max(1, this.#taken(nowMs - RECENT_MS, nowMs)) / RECENT_MS;
    if (refusals > 1) return this.perMs * CUT;
    const ms = Math.max(1, Math.min(MINUTE_MS, nowMs - this.#firstRefusalMs));
    const [measured, ofMinute] = [ms, MINUTE_MS].map((each) => this.#taken(nowMs - each, nowMs) / each) as [
      number,
      number,
    ];
    return Math.max(measured, Math.min(this.perMs * CUT, ofMinute));
  }

  /** Starts from one time to another that were not refused. */
  #taken = (fromMs: number, toMs: number): number =>
    this.#starts.filter(({ atMs, isRefused }) => !isRefused && atMs >= fromMs && atMs < toMs).length;
}

export const NOTHING: Cost = { requests: 0, input: 0, output: 0, tokens: 0 };

const MINUTE_MS = 60_000;
/** A server's Retry-After counts up to here. */
export const LONGEST_ASKED_MS = 120_000;
/** A call that hangs must not keep all others from going on. */
const FEWEST_SLOTS = 2;
/** Between two starts. */
const LONGEST_APART_MS = 100;
/** Timers are late: starts that were due for so long may catch up. */
const LATE_MS = 20;
const SHORTEST_WINDOW_MS = 100;
/** Less must be used for a reset to tell the window. */
const TELLING_SHARE = 0.2;
/** Of a window, with each reply. */
const FORGETTING = 0.98;
/** Successes of the first refusal's rate. */
const RECENT_MS = 1_000;
/** A bucket that fills by the second or the minute gives something back within it. */
const SILENT_MS = 7_000;
/** Fewer in a minute tell nothing of its limit. */
const FEWEST_TAKEN = 5;
const CUT = 0.8;
/** Up, each second with enough replies. */
const STEP = 1.1;
const STEP_MS = 1_000;
const STEP_REPLIES = 5;
const LONGEST_HOLD_MS = 30_000;
