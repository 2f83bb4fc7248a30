/** A call that was sent, on the clock. */
export interface Start {
  readonly atMs: number;
  isRefused: boolean;
}

/**
 * The rate of starts that a server takes, learned from refusals alone. Until the first one there is none. Then it is the rate of recent
 * successes, which falls by a fifth with each refusal, never below what was measured, and rises by small steps. A server that gives
 * nothing back for long after a refusal counts whole minutes: it gets as many starts a minute as it took.
 */
export class Rate {
  /** Of the last minute, oldest first. */
  readonly #starts: Start[] = [];
  /** Starts a millisecond. */
  #perMs = Infinity;
  /** Starts that are due, and when that was so. */
  #due = { starts: 0, atMs: 0 };
  #firstRefusalMs = 0;
  #lastRefusalMs = -Infinity;
  /** Refusals without a start in between that was taken, since when, and what was taken in the minute before. */
  #silence = { refusals: 0, sinceMs: 0, taken: 0 };
  /** The next step up, since when it is waited for, and the replies since. */
  #growth = { step: FIRST_STEP, sinceMs: 0, replies: 0 };
  /** The last rate that was kept for some replies without a refusal, and those since the last one. */
  #kept = { perMs: 0, replies: 0 };
  /** Most starts a minute. */
  #perMinute: number | undefined;

  /** When a call may start. */
  nextMs(nowMs: number): number {
    if (this.#perMs === Infinity) return nowMs;
    if (this.#perMinute !== undefined)
      return nowMs - this.#lastRefusalMs >= MINUTE_MS ? nowMs : this.#inMinuteMs(this.#perMinute);
    const { starts, atMs } = this.#due;
    const most = Math.max(1, this.#perMs * LATE_MS);
    this.#due = { starts: Math.min(most, starts + (nowMs - atMs) * this.#perMs), atMs: nowMs };
    return this.#due.starts >= 1 ? nowMs : nowMs + Math.max(1, (1 - this.#due.starts) / this.#perMs);
  }

  started(start: Start): void {
    while (this.#starts[0] !== undefined && this.#starts[0].atMs <= start.atMs - MINUTE_MS) this.#starts.shift();
    this.#due.starts -= 1;
    if (this.#perMinute !== undefined && this.#inMinuteMs(this.#perMinute) > start.atMs) this.#perMinute *= 2; // one more than it took: a refusal tells whether that was wrong
    this.#starts.push(start);
  }

  answered({ atMs }: Start, nowMs: number): void {
    const growth = this.#growth;
    if (this.#perMs === Infinity || atMs < growth.sinceMs) return;
    growth.replies += 1;
    this.#kept.replies += 1;
    if (nowMs - growth.sinceMs < GROWTH_MS || growth.replies < GROWTH_REPLIES) return;
    if (this.#kept.replies >= KEPT_REPLIES) this.#kept.perMs = this.#perMs;
    this.#perMs *= 1 + growth.step;
    this.#growth = { step: Math.min(LARGEST_STEP, growth.step * 2), sinceMs: nowMs, replies: 0 };
  }

  /** A call was refused. `askedMs`: how long the server asks to wait. Returns how long nothing is to start. */
  refused({ atMs }: Start, askedMs: number, nowMs: number): number {
    if (atMs < this.#lastRefusalMs) return 0; // calls refused together tell one thing
    const since = this.#lastRefusalMs;
    const isAnyTaken = this.#starts.some((one) => !one.isRefused && one.atMs >= since && one.atMs < atMs);
    if (isAnyTaken || this.#silence.refusals === 0)
      this.#silence = { refusals: 0, sinceMs: nowMs, taken: this.#taken(MINUTE_MS, nowMs) };
    this.#silence.refusals += 1;
    const { refusals, sinceMs, taken } = this.#silence;
    const isSilent = taken >= FEWEST_TAKEN && nowMs + askedMs - sinceMs >= SILENT_MS;
    if (this.#perMinute === undefined ? isSilent : refusals === 1) this.#perMinute = Math.max(1, taken);
    const isFirst = this.#perMs === Infinity;
    if (isFirst) this.#firstRefusalMs = nowMs;
    this.#perMs = this.#afterRefusal(refusals, nowMs);
    this.#kept = { perMs: this.#kept.perMs * CUT, replies: 0 };
    this.#due = { starts: 0, atMs: nowMs };
    this.#lastRefusalMs = nowMs;
    this.#growth = { step: FIRST_STEP, sinceMs: nowMs, replies: 0 };
    const firstMs = isFirst ? FIRST_HOLD_MS : Math.max(SHORTEST_HOLD_MS, Math.min(LONG_HOLD_MS, 2 / this.#perMs));
    return Math.min(LONGEST_HOLD_MS, firstMs * 2 ** (refusals - 1));
  }

  #afterRefusal(refusals: number, nowMs: number): number {
    const before = this.#perMs;
    if (before === Infinity) return Math.max(1, this.#taken(RECENT_MS, nowMs)) / RECENT_MS;
    if (refusals > 1) return before * CUT;
    const measuredMs = Math.max(1, Math.min(MINUTE_MS, nowMs - this.#firstRefusalMs));
    const measured = ((this.#taken(measuredMs, nowMs) + 0.5) / measuredMs) * UNDER;
    return Math.max(measured, this.#kept.perMs, Math.min(before * CUT, this.#taken(MINUTE_MS, nowMs) / MINUTE_MS));
  }

  /** When the starts of the last minute are fewer than these. */
  #inMinuteMs(most: number): number {
    return (this.#starts.at(-most)?.atMs ?? -Infinity) + MINUTE_MS;
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
