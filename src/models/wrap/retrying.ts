import { setMaxListeners } from "node:events";
import type { ModelError } from "../../errors.js";
import { gaveUp, tryModelCall } from "../../retry/model-call.js";
import { retry } from "../../retry/retry.js";
import type { Clock, Model, ModelReply, ModelRequest, Random } from "../../types.js";
import { RetryLater } from "./retry-later.js";

export interface RetrySettings {
  /** Most tries of one call, the first included. */
  readonly attempts: number;
  /** A server's Retry-After counts up to here, milliseconds. */
  readonly maxRetryAfterMs: number;
  /** First backoff; doubles with each try up to `maxRetryAfterMs`. */
  readonly baseDelayMs: number;
  readonly clock: Clock;
  /** For jitter only: no result depends on it. */
  readonly random: Random;
  /** A longer wait is handed out as RetryLater, so that the call's slot is free meanwhile. Absent: waits are kept. */
  readonly handOutAfterMs?: number;
  onRetry?(event: RetryEvent): void;
}

export interface RetryEvent {
  readonly request: ModelRequest;
  /** The try that failed, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  /** What the server asked for, milliseconds; 0 where it asked for nothing. */
  readonly askedMs: number;
  readonly error: ModelError;
}

/**
 * The one place where calls of models are tried again: errors with `retryable` after Retry-After (capped) or, without one,
 * jittered exponential backoff; all others fail at once. A Retry-After also holds every new start until then: a gate
 * for starts, whose time always comes.
 */
export function retrying(model: Model, settings: RetrySettings): Model {
  const { clock, random, maxRetryAfterMs } = settings;
  const handOutAfterMs = settings.handOutAfterMs ?? Number.POSITIVE_INFINITY;
  let heldUntil = 0;
  let knownSignal: AbortSignal | undefined;

  const policy = { tries: settings.attempts, firstWaitMs: settings.baseDelayMs, longestWaitMs: maxRetryAfterMs };

  /** Waits for the call's own time and the common gate; the gate may move meanwhile. */
  async function turn(signal: AbortSignal, notBefore: number, resume: () => Promise<ModelReply>): Promise<void> {
    for (;;) {
      const dueMs = Math.max(notBefore, heldUntil) - clock.monotonic();
      if (dueMs <= 0) return;
      const waitMs = notBefore < heldUntil ? dueMs + random.next() * settings.baseDelayMs : dueMs;
      if (waitMs > handOutAfterMs) throw new RetryLater(waitMs, resume);
      await clock.sleep(waitMs, signal);
    }
  }

  /** The call from its try `from` on, which may not begin before `notBefore`. */
  async function run(request: ModelRequest, signal: AbortSignal, from: number, notBefore: number): Promise<ModelReply> {
    await turn(signal, notBefore, () => run(request, signal, from, notBefore));
    return retry(() => tryModelCall(() => model.complete(request, signal)), {
      policy,
      random,
      from,
      gaveUp,
      onFailure({ failure, attempt, waitMs, askedMs, heldMs, last }) {
        if (signal.aborted) throw signal.reason;
        if (heldMs > 0) heldUntil = Math.max(heldUntil, clock.monotonic() + heldMs); // also for a call that gives up
        if (!last) settings.onRetry?.({ request, attempt, waitMs, askedMs, error: failure });
      },
      wait({ waitMs }, next) {
        const due = clock.monotonic() + waitMs;
        return turn(signal, due, () => run(request, signal, next, due));
      },
    });
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
