import { ModelError } from "../errors.js";
import type { Random } from "../types/index.js";

/** Number and spacing of tries. */
export interface RetryPolicy {
  /** Most tries, the first included. */
  readonly tries: number;
  /** The wait after the first try, milliseconds; doubles with each further one. */
  readonly firstWaitMs: number;
  /** No wait is longer, whatever a server asks, milliseconds. */
  readonly longestWaitMs: number;
}

interface RetryRules {
  readonly policy: RetryPolicy;
  /** Spreads waits, so that callers who failed together do not return together. Absent: waits are exact. */
  readonly random?: Random;
  /** Ends when the next try may begin. */
  wait(failed: FailedTry): Promise<void>;
  /** What to throw after the last try. Default: its error, which then says how many there were. */
  gaveUp?(error: ModelError, tries: number): Error;
}

export interface FailedTry {
  readonly error: ModelError;
  /** The try that failed, from 1. */
  readonly attempt: number;
  /** How long to wait before the next, milliseconds. */
  readonly waitMs: number;
  /** What the server asked for, milliseconds; 0 where it asked for nothing. */
  readonly askedMs: number;
}

/**
 * Repeats a call that fails with a retryable ModelError; throws other errors. Waits double, and are at least as long as the server asked
 * for, up to `longestWaitMs`. `random` shortens the doubling wait by up to half, and lengthens the asked wait by up to `firstWaitMs`.
 */
export async function retry<T>(call: () => Promise<T>, rules: RetryRules): Promise<T> {
  const { policy, random, gaveUp = outOfTries } = rules;
  for (let attempt = 1; ; attempt++)
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ModelError) || !error.retryable) throw error;
      if (attempt >= policy.tries) throw gaveUp(error, attempt);
      const { retryAfterMs: askedMs = 0 } = error;
      const spread = random?.next();
      const ownMs = Math.min(policy.firstWaitMs * 2 ** (attempt - 1), policy.longestWaitMs);
      const jitteredMs = ownMs * (0.5 + 0.5 * (spread ?? 1));
      const heldMs = askedMs === 0 ? 0 : Math.min(askedMs, policy.longestWaitMs) + (spread ?? 0) * policy.firstWaitMs;
      await rules.wait({ error, attempt, waitMs: Math.max(jitteredMs, heldMs), askedMs });
    }
}

const outOfTries = (error: ModelError, tries: number): ModelError =>
  tries === 1 ? error : error.worded(`${error.message} (gave up after ${tries} tries)`);

/** Returns a message about a long wait; undefined for short ones. `who`: the server. */
export function longWaitMessage(
  who: string,
  { waitMs, askedMs }: Pick<FailedTry, "waitMs" | "askedMs">,
): string | undefined {
  if (waitMs < LONG_WAIT_MS) return undefined;
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
  if (askedMs > waitMs)
    return `${who} asks to wait ${seconds(askedMs)}; trying again in ${seconds(waitMs)}, the longest wait`;
  return `${who} does not serve now; waiting ${seconds(waitMs)} before the next try`;
}

const LONG_WAIT_MS = 10_000;

/** The used part of a reply's headers. */
export interface HeaderBag {
  get(name: string): string | null | undefined;
}

/**
 * Returns what a server asked to wait in ms: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110
 * 10.2.3), the date measured against the reply's own `date` header, so that no clock need agree; else `retryDelay` of a
 * `google.rpc.RetryInfo` among the `details` of the error that was served (Gemini). Undefined where it asked nothing that can be read.
 */
export function retryAfterMs(headers: HeaderBag, served?: unknown): number | undefined {
  const preciseMs = decimal(headers.get("retry-after-ms"));
  if (preciseMs !== undefined) return preciseMs;
  const asked = headers.get("retry-after");
  const seconds = decimal(asked);
  if (seconds !== undefined) return seconds * 1000;
  const waitMs = Date.parse(asked ?? "") - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(waitMs) ? retryInfoMs(served) : Math.max(0, waitMs);
}

function decimal(value: string | null | undefined): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(value ?? "") ? Number(value) : undefined;
}

/** Returns the longest delay of the details: durations in protobuf's JSON form, `34.07s`. */
function retryInfoMs(served: unknown): number | undefined {
  const { details }: { details?: unknown } = Object(served);
  if (!Array.isArray(details)) return undefined;
  const delays = details.flatMap((detail: unknown) => {
    const { "@type": type, retryDelay }: { "@type"?: unknown; retryDelay?: unknown } = Object(detail);
    const seconds = decimal(/^(.*)s$/.exec(String(retryDelay))?.[1]);
    return String(type).endsWith("google.rpc.RetryInfo") && seconds !== undefined ? [seconds * 1000] : [];
  });
  return delays.length === 0 ? undefined : Math.max(...delays);
}
