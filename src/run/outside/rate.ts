/** A call that was sent, on the clock. */
export interface Start {
  readonly atMs: number;
  isRefused: boolean;
}

/**
 * The rate of starts that a server takes, learned from refusals alone. Until the first one there is none. Then it is the rate
 * of recent successes, which falls by a fifth with each refusal, never below what was measured, and rises by small steps. A
 * server that gives nothing back for long after a refusal counts whole minutes: it gets as many starts a minute as it took.
 */
export class Rate {
  /** Of the last minute, oldest first. */
  readonly #starts: Start[] = [];
  #begunMs: number | undefined;
  /** Starts a millisecond. */
  #perMs = Number.POSITIVE_INFINITY;
  /** The same before the last refusal. */
  #wasPerMs = Number.POSITIVE_INFINITY;
  /** The last rate that was kept for some replies without a refusal. */
  #keptPerMs = 0;
  /** Starts that are due. */
  #level = 0;
  #levelAtMs = 0;
  #firstRefusalMs = 0;
  #lastRefusalMs = Number.NEGATIVE_INFINITY;
  /** Refusals without a start in between that was taken, since when, and what was taken in the minute before. */
  #silence = { refusals: 0, sinceMs: 0, taken: 0 };
  #step = FIRST_STEP;
  #grownAtMs = 0;
  /** Replies since it last grew, and since the last refusal. */
  #replies = { sinceGrowth: 0, sinceRefusal: 0 };
  /** Most starts a minute. */
  #perMinute: number | undefined;

  /** Milliseconds until a call may start. */
  waitMs(nowMs: number): number {
    if (this.#perMs === Number.POSITIVE_INFINITY) return 0;
    if (this.#perMinute !== undefined) return nowMs - this.#lastRefusalMs >= MINUTE_MS ? 0 : this.#inMinuteMs(nowMs);
    const most = Math.max(1, this.#perMs * LATE_MS);
    this.#level = Math.min(most, this.#level + (nowMs - this.#levelAtMs) * this.#perMs);
    this.#levelAtMs = nowMs;
    return this.#level >= 1 ? 0 : Math.max(1, (1 - this.#level) / this.#perMs);
  }

  started(start: Start): void {
    this.#begunMs ??= start.atMs;
    while (this.#starts[0] !== undefined && this.#starts[0].atMs <= start.atMs - MINUTE_MS) this.#starts.shift();
    this.#level -= 1;
    if (this.#perMinute !== undefined && this.#starts.length >= this.#perMinute && this.#inMinuteMs(start.atMs) > 0)
      this.#perMinute *= 2; // one more than it took: a refusal tells whether that was wrong
    this.#starts.push(start);
  }

  answered({ atMs }: Start, nowMs: number): void {
    if (this.#perMs === Number.POSITIVE_INFINITY || atMs < this.#lastRefusalMs) return;
    const replies = this.#replies;
    replies.sinceGrowth += 1;
    replies.sinceRefusal += 1;
    if (atMs < this.#grownAtMs || nowMs - this.#grownAtMs < GROWTH_MS || replies.sinceGrowth < GROWTH_REPLIES) return;
    if (replies.sinceRefusal >= KEPT_REPLIES) this.#keptPerMs = this.#perMs;
    this.#perMs *= 1 + this.#step;
    this.#step = Math.min(LARGEST_STEP, this.#step * 2);
    this.#grownAtMs = nowMs;
    replies.sinceGrowth = 0;
  }

  /** A call was refused. `askedMs`: how long the server asks to wait; `replyMs`: how long a reply takes. */
  refused({ atMs }: Start, { askedMs, replyMs }: { askedMs: number; replyMs: number }, nowMs: number): void {
    if (atMs < this.#lastRefusalMs) {
      this.#fall(replyMs, nowMs); // calls refused together tell one thing
      return;
    }
    const since = this.#lastRefusalMs;
    const isAnyTaken = this.#starts.some((one) => !one.isRefused && one.atMs >= since && one.atMs < atMs);
    if (isAnyTaken || this.#silence.refusals === 0)
      this.#silence = { refusals: 0, sinceMs: nowMs, taken: this.#taken(MINUTE_MS, nowMs) };
    this.#silence.refusals += 1;
    const { refusals, sinceMs, taken } = this.#silence;
    const isSilent = taken >= FEWEST_TAKEN && nowMs + askedMs - sinceMs >= SILENT_MS;
    if (this.#perMinute === undefined ? isSilent : refusals === 1) this.#perMinute = Math.max(1, taken);
    if (this.#perMs === Number.POSITIVE_INFINITY) this.#firstRefusalMs = nowMs;
    this.#wasPerMs = this.#perMs;
    this.#fall(replyMs, nowMs);
    this.#keptPerMs *= CUT;
    this.#lastRefusalMs = nowMs;
    this.#step = FIRST_STEP;
    this.#grownAtMs = nowMs;
    this.#replies = { sinceGrowth: 0, sinceRefusal: 0 };
  }

  /** For how long nothing starts after the last refusal: longer after each without a start in between that was taken. */
  get holdMs(): number {
    const isNew = this.#wasPerMs === Number.POSITIVE_INFINITY;
    const firstMs = isNew ? FIRST_HOLD_MS : Math.max(SHORTEST_HOLD_MS, Math.min(LONG_HOLD_MS, 2 / this.#perMs));
    return Math.min(LONGEST_HOLD_MS, firstMs * 2 ** (this.#silence.refusals - 1));
  }

  /** Until the starts of the last minute are fewer than it may have. */
  #inMinuteMs(nowMs: number): number {
    const oldest = this.#starts.at(-this.#perMinute!); // asked where it is known
    return oldest === undefined ? 0 : Math.max(0, oldest.atMs + MINUTE_MS - nowMs);
  }

  #fall(replyMs: number, nowMs: number): void {
    const taken = (ms: number): number => this.#taken(ms, nowMs);
    const measuredMs = Math.max(1, Math.min(MINUTE_MS, nowMs - this.#firstRefusalMs));
    const recentMs = Math.max(1, Math.min(Math.max(RECENT_MS, replyMs), nowMs - (this.#begunMs ?? nowMs)));
    if (this.#wasPerMs === Number.POSITIVE_INFINITY) this.#perMs = Math.max(1, taken(recentMs)) / recentMs;
    else if (this.#silence.refusals > 1) this.#perMs = this.#wasPerMs * CUT;
    else {
      const measured = ((taken(measuredMs) + 0.5) / measuredMs) * UNDER;
      this.#perMs = Math.max(measured, this.#keptPerMs, Math.min(this.#wasPerMs * CUT, taken(MINUTE_MS) / MINUTE_MS));
    }
    this.#level = 0;
    this.#levelAtMs = nowMs;
  }

  /** Starts of the last milliseconds that were not refused. */
  #taken(ms: number, nowMs: number): number {
    return this.#starts.filter(({ atMs, isRefused }) => !isRefused && atMs > nowMs - ms).length;
  }
}

const MINUTE_MS = 60_000;
/** Timers are late: starts that were due for so long may catch up. */
const LATE_MS = 20;
/** Successes of the first refusal's rate. */
const RECENT_MS = 1_000;
/** A bucket that fills by the second or the minute gives something back within it. */
const SILENT_MS = 7_000;
/** Fewer in a minute tell nothing of its limit. */
const FEWEST_TAKEN = 5;
const CUT = 0.8;
/** Of what was measured: a little room for another process. */
const UNDER = 0.97;
/** A share of the rate; doubles while nothing is refused. */
const FIRST_STEP = 0.02;
const LARGEST_STEP = 0.5;
const GROWTH_MS = 1_000;
const GROWTH_REPLIES = 5;
const KEPT_REPLIES = 20;
const SHORTEST_HOLD_MS = 50;
const FIRST_HOLD_MS = 500;
const LONG_HOLD_MS = 5_000;
const LONGEST_HOLD_MS = 30_000;
