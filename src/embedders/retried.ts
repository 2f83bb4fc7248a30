import { ModelError } from "../errors.js";
import type { Clock } from "../types.js";

const MOST_TRIES = 5;
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;

/**
 * Repeats a call that fails with a retryable ModelError: five tries, waits doubling from one second, or what the server
 * asked for, at most a minute each. Without a clock a call is tried once.
 */
export async function retried<T>(call: () => Promise<T>, clock: Pick<Clock, "sleep"> | undefined): Promise<T> {
  const never = new AbortController().signal;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ModelError) || !error.retryable || clock === undefined) throw error;
      if (attempt === MOST_TRIES) throw gaveUp(error);
      const delayMs = error.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (attempt - 1);
      await clock.sleep(Math.min(delayMs, LONGEST_DELAY_MS), never);
    }
  }
}

// --- internal ---

function gaveUp({ message, retryable, retryAfterMs, status, scope, cause }: ModelError): ModelError {
  return new ModelError(`${message} (gave up after ${MOST_TRIES} tries)`, {
    retryable,
    retryAfterMs,
    status,
    scope,
    cause,
  });
}
