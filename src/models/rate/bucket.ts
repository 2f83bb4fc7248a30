import type { LimitFact } from "../../errors.js";

/** A token bucket: tokens or requests over a time. Plain data. */
export interface Bucket {
  /** Most that it holds. */
  limit: number;
  /** Milliseconds in which an empty one is full again. */
  windowMs: number;
  /** What is there now, as far as is known here; below 0 where more was used than was there. */
  level: number;
  /** When `level` was right, on the limiter's clock. */
  atMs: number;
  /** All that was ever taken, so that a call knows what was taken since it began. */
  taken: number;
  /** The longest window that lately told resets allow, and when it was told. */
  shown: { readonly ms: number; readonly atMs: number } | undefined;
  /** Most a minute, where the user set it. */
  readonly ownPerMinute?: number;
}

/** A limit that the user set: it begins a tenth full, since servers may count by the second. */
export function ownBucket(perMinute: number, nowMs: number): Bucket {
  return { ...bucketOf(perMinute, nowMs), level: Math.max(1, perMinute / 10), ownPerMinute: perMinute };
}

export function refill(bucket: Bucket, nowMs: number): void {
  const grown = bucket.level + (nowMs - bucket.atMs) * rateOf(bucket);
  bucket.level = Math.min(Math.max(bucket.level, capacityOf(bucket)), grown);
  bucket.atMs = nowMs;
}

export function take(bucket: Bucket, amount: number): void {
  bucket.level -= amount;
  bucket.taken += amount;
}

/** Corrects what a call was expected to take; what was taken since others began stays as it was expected. */
export function giveBack(bucket: Bucket, amount: number): void {
  bucket.level += amount;
}

/** Milliseconds from now until it holds `amount`, or all that it can hold; 0 where it does. */
export function waitFor(bucket: Bucket, amount: number): number {
  const lacks = Math.min(amount, capacityOf(bucket)) - bucket.level;
  return lacks <= 0 ? 0 : Math.max(1, Math.ceil(lacks / rateOf(bucket)));
}

/** What a server said, heard by a call that began when `taken` was `takenBefore`; `calls` are in flight now. */
interface HeardLimit {
  readonly fact: LimitFact;
  readonly takenBefore: number;
  readonly calls: number;
  readonly nowMs: number;
}

/**
 * The bucket after a server's word on it: at once down to what it says remains, and slowly up, since what it says may be from
 * before the calls that began since. Undefined for limits over more than a minute.
 */
export function heardLimit(
  known: Bucket | undefined,
  { fact, takenBefore, calls, nowMs }: HeardLimit,
): Bucket | undefined {
  const { limit, remaining } = fact;
  if (isLong(fact)) return known?.ownPerMinute === undefined ? undefined : known;
  const bucket = known ?? { ...bucketOf(limit, nowMs), level: remaining - roundingOf(fact) };
  refill(bucket, nowMs);
  learnWindow(bucket, fact, nowMs);
  bucket.limit = bucket.ownPerMinute === undefined ? limit : Math.min(limit, bucket.ownPerMinute);
  const most = remaining + (roundingOf(fact) > 0 ? 0 : 1); // whole requests are told: almost one more may be there
  const least = remaining - roundingOf(fact) - (bucket.taken - takenBefore);
  if (bucket.level > most) bucket.level = most;
  else if (bucket.level < least) bucket.level += (least - bucket.level) * (calls > FEW_CALLS ? SLOWLY : 1);
  return bucket;
}

/** How far off what remains may be told: tokens are rounded to thousands (Anthropic). */
export const roundingOf = ({ limit, remaining }: LimitFact): number =>
  remaining % 1000 === 0 && limit % 1000 === 0 && limit >= 10_000 ? 500 : 0;

export const perMinuteOf = (bucket: Bucket): number => rateOf(bucket) * MINUTE_MS;

/** Whether a limit is over much more than a minute (a day's): calls are not paced by it. */
const isLong = ({ resetMs = 0 }: LimitFact): boolean => resetMs > LONGEST_RESET_MS;

const MINUTE_MS = 60_000;
const LONGEST_RESET_MS = 70_000;
const SHORTEST_WINDOW_MS = 100;
/** How long a told window is believed. */
const REMEMBERED_MS = 120_000;
/** Less must be used for a reset to tell the window. */
const TELLING_SHARE = 0.2;
const FEW_CALLS = 3;
const SLOWLY = 0.2;

const bucketOf = (limit: number, nowMs: number): Bucket => ({
  limit,
  windowMs: MINUTE_MS,
  level: limit,
  atMs: nowMs,
  taken: 0,
  shown: undefined,
});

const capacityOf = ({ limit, ownPerMinute = limit }: Bucket): number => Math.min(limit, ownPerMinute);

/** A millisecond. */
function rateOf({ limit, windowMs, ownPerMinute = Number.POSITIVE_INFINITY }: Bucket): number {
  return Math.min(limit / windowMs, ownPerMinute / MINUTE_MS);
}

/**
 * A reset tells in what time the used part comes back, and so the window. Servers with fixed windows tell the rest of theirs:
 * only the longest that was told of late counts.
 */
function learnWindow(bucket: Bucket, fact: LimitFact, nowMs: number): void {
  const { limit, remaining, resetMs, offMs = 0 } = fact;
  const used = limit - remaining - Math.max(1, roundingOf(fact));
  if (resetMs === undefined || used < limit * TELLING_SHARE) return;
  const ms = ((resetMs + offMs) * limit) / used;
  if (bucket.shown === undefined || ms >= bucket.shown.ms || nowMs - bucket.shown.atMs > REMEMBERED_MS)
    bucket.shown = { ms, atMs: nowMs };
  bucket.windowMs = Math.max(SHORTEST_WINDOW_MS, Math.min(MINUTE_MS, bucket.shown.ms));
}
