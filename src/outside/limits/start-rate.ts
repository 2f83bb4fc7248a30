/** A request that was sent. */
export interface Start {
  readonly atMs: number;
  isRefused: boolean;
}

type Mode =
  /** No request was refused yet. */
  | { readonly name: "unlimited" }
  /** Starts are spaced evenly at a rate that goes up by small steps and down by factors. */
  | { readonly name: "aimd"; readonly perMs: number }
  /** The server counts by the minute: so many starts in any minute. */
  | { readonly name: "per-minute"; readonly starts: number };

/**
 * The rate of requests that a server accepts, learned from its refusals (429, 529) where no header tells it:
 * 1. unlimited until the first refusal;
 * 2. then additive increase, multiplicative decrease (AIMD), from the rate accepted in the last second. Each second with 5 replies:
 *    x1.1. Each further refusal in a row: x0.8. The first refusal after an accepted request: x0.8 or the rate of the last minute,
 *    the lower, but at least the rate since the first refusal;
 * 3. per minute, once refusals in a row last 7 s: as many as were accepted in the minute before them.
 */
export class StartRate {
  #mode: Mode = { name: "unlimited" };
  /** Of the last one to two minutes. */
  #starts: Start[] = [];
  #firstRefusalMs = 0;
  #lastRefusalMs = -Infinity;
  /** Refusals without an accepted request in between. `acceptedBefore`: in the minute before the first. */
  #streak = { length: 0, sinceMs: 0, acceptedBefore: 0 };
  #lastChange = { atMs: 0, repliesSince: 0 };

  /** Milliseconds between two starts. */
  get spacingMs(): number {
    return this.#mode.name === "aimd" ? 1 / this.#mode.perMs : 0;
  }

  /** Returns when the quota of the minute allows another start. */
  quotaMs(nowMs: number): number {
    if (this.#mode.name !== "per-minute" || nowMs - this.#lastRefusalMs >= MINUTE_MS) return nowMs;
    return (this.#starts.at(-this.#mode.starts)?.atMs ?? -Infinity) + MINUTE_MS;
  }

  started(atMs: number): Start {
    const start = { atMs, isRefused: false };
    const oldest = this.#starts[0] ?? start;
    if (oldest.atMs < atMs - 2 * MINUTE_MS) this.#starts = this.#starts.filter((one) => one.atMs > atMs - MINUTE_MS);
    this.#starts.push(start);
    return start;
  }

  answered({ atMs }: Start, nowMs: number): void {
    const change = this.#lastChange;
    if (this.#mode.name !== "aimd" || atMs < change.atMs) return;
    change.repliesSince += 1;
    if (nowMs - change.atMs < INCREASE_MS || change.repliesSince < FEWEST_REPLIES) return;
    this.#mode = { name: "aimd", perMs: this.#mode.perMs * INCREASE };
    this.#lastChange = { atMs: nowMs, repliesSince: 0 };
  }

  /** `askedMs`: the server's Retry-After. Returns for how long to back off. */
  refused(start: Start, askedMs: number, nowMs: number): number {
    start.isRefused = true;
    const previousMs = this.#lastRefusalMs;
    if (start.atMs < previousMs) return 0; // requests refused together are one signal
    const isFirst = this.#mode.name === "unlimited";
    if (isFirst) this.#firstRefusalMs = nowMs;
    if (isFirst || this.#accepted(previousMs, start.atMs) > 0)
      this.#streak = { length: 0, sinceMs: nowMs, acceptedBefore: this.#accepted(nowMs - MINUTE_MS, nowMs) };
    this.#streak.length += 1;
    const mode = this.#modeAfterRefusal(askedMs, nowMs);
    this.#mode = mode;
    this.#lastRefusalMs = nowMs;
    this.#lastChange = { atMs: nowMs, repliesSince: 0 };
    const perMs = mode.name === "per-minute" ? mode.starts / MINUTE_MS : mode.perMs;
    return Math.min(LONGEST_BACKOFF_MS, 2 ** this.#streak.length / perMs);
  }

  #modeAfterRefusal(askedMs: number, nowMs: number): Exclude<Mode, { name: "unlimited" }> {
    const { length, sinceMs, acceptedBefore } = this.#streak;
    const perMinute = { name: "per-minute", starts: Math.max(1, acceptedBefore) } as const;
    if (this.#mode.name === "per-minute") return length === 1 ? perMinute : this.#mode;
    if (acceptedBefore >= FEWEST_ACCEPTED && nowMs + askedMs - sinceMs >= STREAK_MS) return perMinute;
    return { name: "aimd", perMs: Math.max(1 / MINUTE_MS, this.#decreased(nowMs)) };
  }

  /** Returns the rate after a refusal, in starts a millisecond. */
  #decreased(nowMs: number): number {
    const acceptedPerMs = (ms: number): number => this.#accepted(nowMs - ms, nowMs) / ms;
    if (this.#mode.name !== "aimd") return Math.max(1 / FIRST_RATE_MS, acceptedPerMs(FIRST_RATE_MS));
    const reduced = this.#mode.perMs * DECREASE;
    if (this.#streak.length > 1) return reduced;
    const sinceFirstMs = Math.max(1, Math.min(MINUTE_MS, nowMs - this.#firstRefusalMs));
    return Math.max(acceptedPerMs(sinceFirstMs), Math.min(reduced, acceptedPerMs(MINUTE_MS)));
  }

  /** Counts the starts of a time that were not refused. */
  #accepted(fromMs: number, toMs: number): number {
    return this.#starts.filter(({ atMs, isRefused }) => !isRefused && atMs >= fromMs && atMs < toMs).length;
  }
}

const MINUTE_MS = 60_000;
const FIRST_RATE_MS = 1_000; // AIMD begins at the rate of so long before the first refusal
const DECREASE = 0.8;
const INCREASE = 1.1;
const INCREASE_MS = 1_000;
const FEWEST_REPLIES = 5;
const STREAK_MS = 7_000; // a server that counts by the second accepts something within it
const FEWEST_ACCEPTED = 5; // fewer in a minute say nothing about its quota
const LONGEST_BACKOFF_MS = 30_000;
