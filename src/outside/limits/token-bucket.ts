import type { LimitFact } from "../../errors.js";

/** A token bucket: what an account may use up of one measure. It refills evenly, up to its capacity. */
export class TokenBucket {
  #capacity: number;
  #level: number;
  /** When `#level` was computed. */
  #updatedMs: number;
  /** Milliseconds from empty to full, learned from resets; 0: not known, a minute is assumed. */
  #windowMs = 0;
  /** Taken by calls in flight, which the server may not have counted yet. */
  #inFlight = 0;

  constructor(capacity: number, level: number, nowMs: number) {
    this.#capacity = capacity;
    this.#level = level;
    this.#updatedMs = nowMs;
  }

  /** Returns when it holds `amount`, or is full where it can never hold as much. */
  readyMs(amount: number, nowMs: number): number {
    this.#refill(nowMs);
    const missing = Math.min(amount, this.#capacity) - this.#level;
    return missing <= 0 ? nowMs : nowMs + Math.max(1, Math.ceil(missing / this.#perMs));
  }

  take(amount: number): void {
    this.#level -= amount;
    this.#inFlight += amount;
  }

  /** Books the end of a call that had taken `taken`: it used `used`. */
  settle(taken: number, used: number): void {
    this.#inFlight -= taken;
    this.#level += taken - used;
  }

  /** Adopts what reply headers say. They may be older than the calls in flight. */
  observe({ limit, remaining, resetMs, offMs = 0 }: LimitFact, nowMs: number): void {
    this.#refill(nowMs);
    this.#capacity = limit;
    this.#level = Math.min(remaining, Math.max(this.#level, remaining - this.#inFlight));
    const used = limit - remaining - 1;
    if (resetMs === undefined || used < limit * LEAST_USED_SHARE) return;
    const windowMs = ((resetMs + offMs) * limit) / used; // the used part comes back until the reset
    // within a fixed window that time shrinks: the longest seen counts, less 2 % a reply
    const longestMs = Math.max(windowMs, this.#windowMs * WINDOW_DECAY);
    this.#windowMs = Math.max(SHORTEST_WINDOW_MS, Math.min(MINUTE_MS, longestMs));
  }

  get #perMs(): number {
    return this.#capacity / (this.#windowMs || MINUTE_MS);
  }

  #refill(nowMs: number): void {
    const refilled = this.#level + (nowMs - this.#updatedMs) * this.#perMs;
    this.#level = Math.min(Math.max(this.#level, this.#capacity), refilled);
    this.#updatedMs = nowMs;
  }
}

const MINUTE_MS = 60_000;
const SHORTEST_WINDOW_MS = 100;
const LEAST_USED_SHARE = 0.2; // before that a reset does not say how long the window is
const WINDOW_DECAY = 0.98;
