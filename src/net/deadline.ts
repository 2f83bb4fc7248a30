/** Calls `fire` after `delayMs`, unless the function it returns is called before. */
export type StartTimer = (delayMs: number, fire: () => void) => () => void;

interface Deadline {
  /** Milliseconds from the start of the call. */
  readonly ms: number;
  /** Returns what a late call fails with. */
  error(): Error;
  /** Absent: real time. */
  readonly startTimer?: StartTimer | undefined;
}

/**
 * Runs a call under one abort signal that fires with the caller's or at the deadline, whichever is first, and settles
 * then even when the call ignores its signal. Rejects with the caller's reason or with the deadline's error.
 */
export function withDeadline<T>(
  call: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  { ms, error, startTimer = realTimer }: Deadline,
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
    const cancel = startTimer(ms, () => stop(error()));
    const settle = (): void => {
      cancel();
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const run = async (): Promise<T> => call(controller.signal);
    run().then(resolve, reject).finally(settle);
  });
}

/** Starts a timer in real time. */
export const realTimer: StartTimer = (delayMs, fire) => {
  const timer = setTimeout(fire, delayMs);
  return () => clearTimeout(timer);
};

/** Calls `act` once: now where the signal has fired, else when it fires. */
export function onAbort(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
}

/** Bytes. Replies of models, embedders and Wikipedia are far smaller. */
export const MOST_REPLY_BYTES = 64 * 1024 * 1024;

export const tooLong = (most: number): Error => new Error(`the reply has more than ${most / 1024 ** 2} MiB`);

/** Returns the text of a reply. Throws Error if it has more than `most` bytes. */
export async function boundedText(response: Response, most = MOST_REPLY_BYTES): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > most) throw tooLong(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
