import type { Random } from "../types/index.js";

/** How patient a caller is. */
export interface RetryPolicy {
  /** Most tries, the first included. */
  readonly tries: number;
  /** The wait after the first try, milliseconds; doubles with each further one. */
  readonly firstWaitMs: number;
  /** No wait is longer, whatever a server asks, milliseconds. */
  readonly longestWaitMs: number;
  /** No wait is shorter than the own one, though a server asks for less: of work that may take hours. */
  readonly patient?: true;
}

/** What one try came to. Whatever cannot pass by itself is thrown instead. */
export type Try<T, F> = { readonly done: T } | Passing<F>;

/** A failure that may pass. */
interface Passing<F> {
  readonly failure: F;
  /** What the server asked to wait, milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

export interface RetryRules<F> {
  readonly policy: RetryPolicy;
  /** Spreads waits, so that callers who failed together do not return together. Absent: waits are exact. */
  readonly random?: Random;
  /** The number of the first try: a call that is resumed goes on counting. Default 1. */
  readonly from?: number;
  /** Ends when the try `next` may begin. `failed.waitMs` is the wait for this call alone. */
  wait(failed: FailedTry<F>, next: number): Promise<void>;
  /** Told of every failed try, the last one included, before anything is waited for. */
  onFailure?(failed: FailedTry<F>): void;
  /** What to throw after the last try. */
  gaveUp(failure: F, tries: number): Error | Promise<Error>;
}

export interface FailedTry<F> {
  readonly failure: F;
  /** The try that failed, from 1. */
  readonly attempt: number;
  /** How long to wait before the next, milliseconds. */
  readonly waitMs: number;
  /** What the server asked for, milliseconds; 0 where it asked for nothing. */
  readonly askedMs: number;
  /** The same, as far as the policy follows it, milliseconds; 0 where it asked for nothing. */
  readonly heldMs: number;
  readonly last: boolean;
}

/**
 * The one loop of tries. Waits are what the server asked for, at most `longestWaitMs`, else `firstWaitMs` doubling up to
 * there (of the patient the longer of both); `Retry-After: 0` asks for nothing. With `random` the wait a server asked for grows by up to `firstWaitMs` (never
 * earlier than told), the others shrink to between half and all.
 */
export async function retry<T, F>(call: (attempt: number) => Promise<Try<T, F>>, rules: RetryRules<F>): Promise<T> {
  for (let attempt = rules.from ?? 1; ; attempt++) {
    const result = await call(attempt);
    if ("done" in result) return result.done;
    const failed = failedTry(result, attempt, rules);
    rules.onFailure?.(failed);
    if (failed.last) throw await rules.gaveUp(failed.failure, attempt);
    await rules.wait(failed, attempt + 1);
  }
}

/** A wait that a person would wonder about, in one line; undefined for shorter ones. `who` is being waited for. */
export function longWait(
  who: string,
  { waitMs, askedMs }: Pick<FailedTry<unknown>, "waitMs" | "askedMs">,
): string | undefined {
  if (waitMs < LONG_WAIT_MS) return undefined;
  const asked =
    askedMs > waitMs
      ? `${who} asks to wait ${seconds(askedMs)} s; no wait is longer than`
      : `${who} does not serve now; waiting`;
  return `${asked} ${seconds(waitMs)} s before the next try`;
}

const LONG_WAIT_MS = 10_000;
const seconds = (ms: number): number => Math.round(ms / 1000);

function failedTry<F>(passing: Passing<F>, attempt: number, { policy, random }: RetryRules<F>): FailedTry<F> {
  const askedMs = passing.retryAfterMs ?? 0;
  const heldMs = Math.min(askedMs, policy.longestWaitMs);
  const backoffMs = Math.min(policy.firstWaitMs * 2 ** (attempt - 1), policy.longestWaitMs);
  const spread = random?.next();
  const isAsked = policy.patient ? heldMs > backoffMs : heldMs > 0;
  const waitMs = isAsked
    ? heldMs + (spread ?? 0) * policy.firstWaitMs
    : backoffMs * (spread === undefined ? 1 : 0.5 + 0.5 * spread);
  return { failure: passing.failure, attempt, waitMs, askedMs, heldMs, last: attempt >= policy.tries };
}
