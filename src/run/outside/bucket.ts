import type { LimitFact } from "../../errors.js";

/** Tokens or requests over a time, as a server or the user limits them. */
export class Bucket {
  /** Most that it holds. */
  #limit: number;
  /** Milliseconds in which an empty one is full again. */
  #windowMs = MINUTE_MS;
  #level: number;
  /** When `#level` was right. */
  #atMs: number;
  /** Taken by calls in flight: the server may not have counted it yet. */
  #out = 0;
  /** The longest window that lately told resets allow, and when it was told. */
  #told = { ms: 0, atMs: Number.NEGATIVE_INFINITY };
  /** Most a minute, where the user set it. */
  readonly #ownPerMinute: number;

  private constructor(limit: number, level: number, nowMs: number, ownPerMinute = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#level = level;
    this.#atMs = nowMs;
    this.#ownPerMinute = ownPerMinute;
  }

  /** A limit that the user set. It begins a tenth full, since servers may count by the second. */
  static own(perMinute: number, nowMs: number): Bucket {
    return new Bucket(perMinute, Math.max(1, perMinute / 10), nowMs, perMinute);
  }

  /** The bucket after a server's word on it. Undefined for limits over more than a minute: calls are not paced by a day's. */
  static heard(known: Bucket | undefined, fact: LimitFact, nowMs: number): Bucket | undefined {
    if ((fact.resetMs ?? 0) > LONGEST_RESET_MS)
      return known === undefined || known.#ownPerMinute === Number.POSITIVE_INFINITY ? undefined : known;
    const bucket = known ?? new Bucket(fact.limit, fact.remaining - roundingOf(fact), nowMs);
    bucket.#hear(fact, nowMs);
    return bucket;
  }

  get perMinute(): number {
    return this.#perMs * MINUTE_MS;
  }

  /** Milliseconds until it holds `amount`, or all that it can hold. */
  waitMs(amount: number, nowMs: number): number {
    this.#refill(nowMs);
    const lacks = Math.min(amount, this.#most) - this.#level;
    return lacks <= 0 ? 0 : Math.max(1, Math.ceil(lacks / this.#perMs));
  }

  take(amount: number): void {
    this.#level -= amount;
    this.#out += amount;
  }

  /** A call has ended that was expected to take `amount`. */
  settle(amount: number, used: number): void {
    this.#out = Math.max(0, this.#out - amount);
    this.#level += amount - used;
  }

  /** Whether what a refusal says remains is less than a call takes; then no more is there. */
  lacks(fact: LimitFact | undefined, amount: number): boolean {
    if (fact === undefined || fact.remaining - roundingOf(fact) >= Math.min(amount, fact.limit)) return false;
    this.#level = Math.min(this.#level, fact.remaining - roundingOf(fact));
    return true;
  }

  get #most(): number {
    return Math.min(this.#limit, this.#ownPerMinute);
  }

  get #perMs(): number {
    return Math.min(this.#limit / this.#windowMs, this.#ownPerMinute / MINUTE_MS);
  }

  #refill(nowMs: number): void {
    const grown = this.#level + (nowMs - this.#atMs) * this.#perMs;
    this.#level = Math.min(Math.max(this.#level, this.#most), grown);
    this.#atMs = nowMs;
  }

  /** Goes down at once to what remains, and slowly up: what is told may be older than the calls in flight. */
  #hear(fact: LimitFact, nowMs: number): void {
    const { limit, remaining } = fact;
    const off = roundingOf(fact);
    this.#refill(nowMs);
    this.#learnWindow(fact, nowMs);
    this.#limit = limit;
    const most = remaining + (off > 0 ? 0 : 1); // whole requests are told: almost one more may be there
    const least = remaining - off - this.#out;
    if (this.#level > most) this.#level = most;
    else if (this.#level < least) this.#level += (least - this.#level) * SLOWLY;
  }

  /**
   * A reset tells in what time the used part comes back, and so the window. Servers with fixed windows tell the rest of
   * theirs: only the longest that was told of late counts.
   */
  #learnWindow(fact: LimitFact, nowMs: number): void {
    const { limit, remaining, resetMs, offMs = 0 } = fact;
    const used = limit - remaining - Math.max(1, roundingOf(fact));
    if (resetMs === undefined || used < limit * TELLING_SHARE) return;
    const ms = ((resetMs + offMs) * limit) / used;
    if (ms >= this.#told.ms || nowMs - this.#told.atMs > REMEMBERED_MS) this.#told = { ms, atMs: nowMs };
    this.#windowMs = Math.max(SHORTEST_WINDOW_MS, Math.min(MINUTE_MS, this.#told.ms));
  }
}

/** How far off what remains may be told: tokens are rounded to thousands (Anthropic). */
const roundingOf = ({ limit, remaining }: LimitFact): number =>
  remaining % 1000 === 0 && limit % 1000 === 0 && limit >= 10_000 ? 500 : 0;

const MINUTE_MS = 60_000;
const LONGEST_RESET_MS = 70_000;
const SHORTEST_WINDOW_MS = 100;
/** How long a told window is believed. */
const REMEMBERED_MS = 120_000;
/** Less must be used for a reset to tell the window. */
const TELLING_SHARE = 0.2;
const SLOWLY = 0.2;
