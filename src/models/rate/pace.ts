/** Starts a second that a server without limit headers was seen to take. Plain data. */
export interface Pace {
  /** A millisecond. */
  readonly rate: number;
  /** When `rate` was right: it grows since, slowly at first. */
  readonly atMs: number;
  nextMs: number;
}

/** When the next call may start. A pace that has grown far beyond what was seen is none any more. */
export function allowedAt(pace: Pace | undefined, nowMs: number): number {
  return pace === undefined || growthOf(pace, nowMs) > FORGOTTEN ? nowMs : pace.nextMs;
}

export function takePace(pace: Pace | undefined, nowMs: number): void {
  if (pace !== undefined) pace.nextMs = Math.max(nowMs, pace.nextMs) + 1 / (pace.rate * growthOf(pace, nowMs));
}

/** What is known of the calls so far. Plain data. */
interface Lately {
  /** Starts that were not refused, oldest first. */
  readonly starts: number[];
  /** Refusals without a reason, oldest first. */
  readonly refusedAt: number[];
  /** How long a call takes. */
  readonly callMs: number;
  readonly firstStartMs: number | undefined;
}

/**
 * The pace after a refusal without a reason: a little below what was taken in the last second, or the last call's time where
 * calls take longer. One refusal among many calls tells of no pace; soon after the last lesson only a much slower one counts.
 */
export function learnPace(known: Pace | undefined, lately: Lately, nowMs: number): Pace | undefined {
  const { starts, refusedAt, callMs, firstStartMs = nowMs } = lately;
  const longestMs = Math.max(LEAST_SPAN_MS, callMs);
  const spanMs = Math.max(1, Math.min(longestMs, nowMs - firstStartMs));
  forget(starts, nowMs - spanMs);
  forget(refusedAt, nowMs - spanMs);
  if (starts.length < FEWEST || refusedAt.length < TELLING_SHARE * (starts.length + refusedAt.length)) return known;
  const seen = starts.length / spanMs;
  if (known !== undefined) {
    const ageMs = nowMs - known.atMs;
    const isSlower = seen < MUCH_SLOWER * known.rate;
    if (ageMs < longestMs || (ageMs < EVERY_MS && !isSlower)) return known;
  }
  return { rate: SLOWER * Math.max(seen, (known?.rate ?? 0) / 2), atMs: nowMs, nextMs: nowMs };
}

const LEAST_SPAN_MS = 1_000;
const EVERY_MS = 3_000;
const FEWEST = 5;
const TELLING_SHARE = 0.08;
const MUCH_SLOWER = 0.7;
const SLOWER = 0.95;
const FORGOTTEN = 3;

/** 1 % after a second, 25 % after five, three times as fast after 14. */
const growthOf = ({ atMs }: Pace, nowMs: number): number => 1 + 0.01 * ((nowMs - atMs) / 1000) ** 2;

/** Drops the times up to `untilMs`. */
function forget(times: number[], untilMs: number): void {
  const first = times.findIndex((atMs) => atMs > untilMs);
  times.splice(0, first === -1 ? times.length : first);
}
