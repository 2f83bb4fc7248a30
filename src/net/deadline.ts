/** Calls `fire` after `delayMs`, unless the function it returns is called before. */
export type StartTimer = (delayMs: number, fire: () => void) => () => void;

interface Deadline {
  /** Milliseconds from the start of the call. */
  readonly ms: number;
  /** What a late call fails with. */
  error(): Error;
  /** Absent: real time. */
  readonly startTimer?: StartTimer;
}

/**
 * Runs a call under one abort signal that fires with the caller's or at the deadline, whichever is first, and settles
 * then even when the call ignores its signal. Rejects with the caller's reason or with the deadline's error.
 */
export function withDeadline<T>(
  call: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  deadline: Deadline,
): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    const stop = (reason: unknown): void => {
      settle();
      reject(reason);
      controller.abort(reason);
    };
    const onAbort = (): void => stop(signal.reason);
    const cancel = (deadline.startTimer ?? realTimer)(deadline.ms, () => stop(deadline.error()));
    const settle = (): void => {
      cancel();
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const run = async (): Promise<T> => call(controller.signal);
    run().then(resolve, reject).finally(settle);
  });
}

/** Real time. */
export const realTimer: StartTimer = (delayMs, fire) => {
  const timer = setTimeout(fire, delayMs);
  return () => clearTimeout(timer);
};

/** Once, at once where the signal has fired. */
export function onAbort(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
}
