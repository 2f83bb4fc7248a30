import { setMaxListeners } from "node:events";
import { ModelError } from "../../errors.js";
import type { Clock, Model, ModelReply, ModelRequest, Random } from "../../types.js";
import { withDeadline } from "./deadline.js";
import { RetryLater } from "./retry-later.js";

export interface RetrySettings {
  /** Most tries of one call, the first included. */
  readonly attempts: number;
  /** Most time of one try, headers and body, milliseconds. */
  readonly deadlineMs: number;
  /** A server's Retry-After counts up to here, milliseconds. */
  readonly maxRetryAfterMs: number;
  /** First backoff; doubles with each try up to `maxRetryAfterMs`. */
  readonly baseDelayMs: number;
  readonly clock: Clock;
  /** For jitter only: no result depends on it. */
  readonly random: Random;
  /** A longer wait is handed out as RetryLater, so that the call's slot is free meanwhile. Absent: waits are kept. */
  readonly handOutAfterMs?: number;
  onAttempt?(request: ModelRequest, attempt: number): void;
  onRetry?(event: RetryEvent): void;
}

export interface RetryEvent {
  readonly request: ModelRequest;
  /** The try that failed, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  readonly error: ModelError;
}

/**
 * The one place that decides on retries. Errors with `retryable` are tried again after the larger of Retry-After (capped)
 * and jittered exponential backoff; all others fail at once. A Retry-After also holds every new start until then: a gate
 * for starts, whose time always comes.
 */
export function retrying(model: Model, settings: RetrySettings): Model {
  const { clock, random, attempts, deadlineMs, maxRetryAfterMs } = settings;
  const handOutAfterMs = settings.handOutAfterMs ?? Number.POSITIVE_INFINITY;
  let heldUntil = 0;
  let knownSignal: AbortSignal | undefined;

  const late = (): ModelError =>
    new ModelError(`${model.id}: no complete reply within ${deadlineMs / 1000} s`, { retryable: true });

  const delayMs = (error: ModelError, attempt: number): number => {
    const backoffMs = Math.min(settings.baseDelayMs * 2 ** (attempt - 1), maxRetryAfterMs);
    const askedMs = Math.min(error.retryAfterMs ?? 0, maxRetryAfterMs);
    if (askedMs > 0) heldUntil = Math.max(heldUntil, clock.now() + askedMs);
    return askedMs > 0 ? askedMs + random.next() * settings.baseDelayMs : backoffMs * (0.5 + 0.5 * random.next());
  };

  /** Waits for the call's own time and the common gate; the gate may move meanwhile. */
  async function turn(signal: AbortSignal, notBefore: number, resume: () => Promise<ModelReply>): Promise<void> {
    for (;;) {
      const dueMs = Math.max(notBefore, heldUntil) - clock.now();
      if (dueMs <= 0) return;
      const waitMs = notBefore < heldUntil ? dueMs + random.next() * settings.baseDelayMs : dueMs;
      if (waitMs > handOutAfterMs) throw new RetryLater(waitMs, resume);
      await clock.sleep(waitMs, signal);
    }
  }

  async function run(request: ModelRequest, signal: AbortSignal, first: number, due: number): Promise<ModelReply> {
    let notBefore = due;
    for (let attempt = first; ; attempt++) {
      if (notBefore > 0 || heldUntil > 0) await turn(signal, notBefore, () => run(request, signal, attempt, notBefore));
      settings.onAttempt?.(request, attempt);
      try {
        return await withDeadline((limit) => model.complete(request, limit), signal, deadlineMs, late);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof ModelError) || !error.retryable) throw error;
        const waitMs = delayMs(error, attempt); // moves the gate also for a call that gives up
        if (attempt >= attempts) throw gaveUp(error, attempt);
        notBefore = clock.now() + waitMs;
        settings.onRetry?.({ request, attempt, waitMs, error });
      }
    }
  }

  return {
    ...model,
    complete(request, signal) {
      if (signal !== knownSignal) setMaxListeners(0, signal); // a run's calls all listen to one signal
      knownSignal = signal;
      return run(request, signal, 1, 0);
    },
  };
}

// --- internal ---

function gaveUp(error: ModelError, attempts: number): ModelError {
  if (attempts === 1) return error;
  const { retryable, retryAfterMs, status, scope } = error;
  return new ModelError(`${error.message} (gave up after ${attempts} tries)`, {
    retryable,
    retryAfterMs,
    status,
    scope,
  });
}
