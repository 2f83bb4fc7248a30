/** Starts a second that a server without limit headers was seen to take. */
export class Pace {
  /** `rate`: starts a millisecond, right at `atMs`; it grows since, slowly at first. */
  #known: { readonly rate: number; readonly atMs: number; nextMs: number } | undefined;
  /** Starts of late that were not refused, oldest first. */
  readonly #starts: number[] = [];
  /** Refusals of late that no header explains, oldest first. */
  readonly #refusals: number[] = [];
  #firstStartMs: number | undefined;

  /** Starts a minute; undefined where no pace is known. */
  get perMinute(): number | undefined {
    return this.#known === undefined ? undefined : Math.round(this.#known.rate * MINUTE_MS);
  }

  /** When the next call may start. A pace that has grown far beyond what was seen is none any more. */
  allowedAt(nowMs: number): number {
    return this.#known === undefined || this.#growth(nowMs) > FORGOTTEN ? nowMs : this.#known.nextMs;
  }

  started(nowMs: number): void {
    this.#firstStartMs ??= nowMs;
    this.#starts.push(nowMs);
    if (this.#starts.length > MOST_STARTS) this.#starts.splice(0, MOST_STARTS / 2);
    if (this.#known !== undefined)
      this.#known.nextMs = Math.max(nowMs, this.#known.nextMs) + 1 / (this.#known.rate * this.#growth(nowMs));
  }

  /**
   * The pace after a refusal without a reason: a little below what was taken in the last second, or in the last `callMs` (the
   * time of a call) where calls take longer. One refusal among many calls says nothing of a pace; soon after the last lesson
   * only a much slower one counts.
   */
  refused(nowMs: number, callMs: number): void {
    this.#starts.pop();
    this.#refusals.push(nowMs);
    const longestMs = Math.max(LEAST_SPAN_MS, callMs);
    const spanMs = Math.max(1, Math.min(longestMs, nowMs - (this.#firstStartMs ?? nowMs)));
    forget(this.#starts, nowMs - spanMs);
    forget(this.#refusals, nowMs - spanMs);
    const [starts, refusals] = [this.#starts.length, this.#refusals.length];
    if (starts < FEWEST || refusals < TELLING_SHARE * (starts + refusals)) return;
    const [seen, known] = [starts / spanMs, this.#known];
    if (known !== undefined) {
      const ageMs = nowMs - known.atMs;
      if (ageMs < longestMs || (ageMs < EVERY_MS && seen >= MUCH_SLOWER * known.rate)) return;
    }
    this.#known = { rate: SLOWER * Math.max(seen, (known?.rate ?? 0) / 2), atMs: nowMs, nextMs: nowMs };
  }

  /** 1 % after a second, 25 % after five, three times as fast after 14. */
  #growth(nowMs: number): number {
    return 1 + 0.01 * ((nowMs - (this.#known?.atMs ?? nowMs)) / 1000) ** 2;
  }
}

const MINUTE_MS = 60_000;
const LEAST_SPAN_MS = 1_000;
const EVERY_MS = 3_000;
const FEWEST = 5;
const TELLING_SHARE = 0.08;
const MUCH_SLOWER = 0.7;
const SLOWER = 0.95;
const FORGOTTEN = 3;
const MOST_STARTS = 4096;

/** Drops the times up to `untilMs`. */
function forget(times: number[], untilMs: number): void {
  const first = times.findIndex((atMs) => atMs > untilMs);
  times.splice(0, first === -1 ? times.length : first);
}
