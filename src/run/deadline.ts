import { ModelError } from "../errors.js";

/** Ends what methods have promised and never settle. */
export interface Deadline {
  /** Rejects with a ModelError once nothing is out and nothing has ended for so long. */
  within<T>(job: Promise<T>): Promise<T>;
  close(): void;
}

const SECOND_MS = 1000;

interface DeadlineSettings {
  readonly seconds: number;
  /** Fires when nobody waits any longer. */
  readonly kill: AbortSignal;
  /** Whether a call is out, whose answer will move a method. */
  isWaiting(): boolean;
}

/** Counts seconds in ticks: work that blocks the process is one. */
export function openDeadline({ seconds, kill, isWaiting }: DeadlineSettings): Deadline {
  const open = new Set<(error: ModelError) => void>();
  let idle = 0;
  const timer = setInterval(() => {
    idle = open.size === 0 || isWaiting() ? 0 : idle + 1;
    if (idle < seconds && !kill.aborted) return;
    const text = `the method came to no end within ${seconds} s, with no call out (server.deadlineSeconds)`;
    for (const end of open) end(new ModelError(text, { retryable: false }));
  }, SECOND_MS);
  return {
    within: (job) =>
      new Promise((resolve, reject) => {
        open.add(reject);
        job.then(resolve, reject).finally(() => {
          open.delete(reject);
          idle = 0;
        });
      }),
    close: () => clearInterval(timer),
  };
}
