import { gaveUp, tryModelCall } from "../retry/model-call.js";
import { type RetryPolicy, retry } from "../retry/retry.js";
import type { Clock } from "../types.js";

const POLICY: RetryPolicy = { tries: 5, firstWaitMs: 1000, longestWaitMs: 60_000 };

/** Repeats a call that fails with a retryable ModelError, as POLICY says. Without a clock a call is tried once. */
export async function retried<T>(call: () => Promise<T>, clock: Pick<Clock, "sleep"> | undefined): Promise<T> {
  if (clock === undefined) return call();
  const { signal } = new AbortController();
  return retry(() => tryModelCall(call), { policy: POLICY, wait: ({ waitMs }) => clock.sleep(waitMs, signal), gaveUp });
}
