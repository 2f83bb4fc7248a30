/**
 * Runs a call under one abort signal that fires with the caller's or after `deadlineMs`, whichever is first, and settles
 * then even when the call ignores its signal. Rejects with the caller's reason or with `late()`.
 */
export function withDeadline<T>(
  call: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  deadlineMs: number,
  late: () => Error,
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
    const timer = setTimeout(() => stop(late()), deadlineMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const run = async (): Promise<T> => call(controller.signal);
    run().then(resolve, reject).finally(settle);
  });
}
