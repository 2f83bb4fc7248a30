import { gaveUp, tryModelCall } from "../retry/model-call.js";
import { longWait, type RetryPolicy, retry } from "../retry/retry.js";
import type { Clock } from "../types.js";

const POLICY: RetryPolicy = { tries: 5, firstWaitMs: 1000, longestWaitMs: 60_000 };

interface Patience {
  /** Who is asked, for messages. */
  readonly id: string;
  readonly clock: Pick<Clock, "sleep"> | undefined;
  /** Hears of long waits. */
  readonly tell?: ((line: string) => void) | undefined;
}

/** Repeats a call that fails with a retryable ModelError, as POLICY says. Without a clock a call is tried once. */
export async function retried<T>(call: () => Promise<T>, { id, clock, tell }: Patience): Promise<T> {
  if (clock === undefined) return call();
  const { signal } = new AbortController();
  return retry(() => tryModelCall(call), {
    policy: POLICY,
    gaveUp,
    wait(failed) {
      const line = longWait(id, failed);
      if (line !== undefined) tell?.(line);
      return clock.sleep(failed.waitMs, signal);
    },
  });
}
