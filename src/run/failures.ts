import { BudgetError, ModelError, UsageError } from "../errors.js";
import { firstLine } from "../text/file-trouble.js";

/** Thrown for a question that is not answered because the run stops: it gets no row, and the next run asks it. */
export class Stopping extends Error {}

/**
 * Returns the stop of an arm: it fires with the run's stop, and alone if the arm's model cannot be used any more. Then the reason is added
 * to `modelErrors`, and arms of other models go on.
 */
export function armStop(runStop: AbortController, modelErrors: Set<ModelError>): AbortController {
  const own = new AbortController();
  return {
    signal: AbortSignal.any([runStop.signal, own.signal]),
    abort(error) {
      if (error instanceof Stopping) return; // the stop has fired already
      if (!(error instanceof ModelError) || error.scope !== "model") return runStop.abort(error);
      modelErrors.add(error);
      own.abort(error);
    },
  };
}

/** Returns one error with the messages of all, a line each; undefined if there is none. */
export function combinedError(errors: ReadonlySet<ModelError>): ModelError | undefined {
  const [first] = errors;
  return first?.worded([...new Set([...errors].map(({ message }) => message))].join("\n"));
}

/** Aborts `stop` with the error of a job that fails. */
export function abortOnError(job: Promise<void>, stop: AbortController): Promise<void> {
  return job.catch((error) => stop.abort(error));
}

/** Returns the error for the row of a failed question. Rethrows what ends the arm or the run; throws Stopping if that stops. */
export function rowError(error: unknown, stop: AbortController): ModelError {
  if (stop.signal.aborted) throw new Stopping();
  if (!(error instanceof Error)) return new ModelError(String(error), { retryable: false });
  if (endsRun(error)) throw error;
  return error instanceof ModelError ? error : new ModelError(firstLine(error), { retryable: false });
}

/** Returns true for an error that ends the arm or the run: a cap, a refused key, a server that is down, a mistake of the user. */
export const endsRun = (error: Error): boolean =>
  error instanceof ModelError ? error.scope !== "call" : error instanceof BudgetError || error instanceof UsageError;

/** Timeout of methods that wait for nothing: a method may return a promise that never settles. */
export interface IdleTimeout {
  /** Returns the job's result. Throws ModelError once no call was in flight, and no other job ended, for the time allowed. */
  within<T>(job: Promise<T>): Promise<T>;
  close(): void;
}

interface IdleTimeoutSettings {
  readonly seconds: number;
  /** Fires when jobs are ended at once. */
  readonly kill: AbortSignal;
  /** Returns true while a call is in flight. */
  isWaiting(): boolean;
}

const SECOND_MS = 1000;

/** Opens an idle timeout. It counts ticks of a timer, not clock time, so that code that blocks the process counts as one second. */
export function openIdleTimeout({ seconds, kill, isWaiting }: IdleTimeoutSettings): IdleTimeout {
  const rejects = new Set<(error: ModelError) => void>();
  let idleSeconds = 0;
  const timer = setInterval(() => {
    idleSeconds = rejects.size === 0 || isWaiting() ? 0 : idleSeconds + 1;
    if (idleSeconds < seconds && !kill.aborted) return;
    const message = `the method came to no end within ${seconds} s, with no call out (server.deadlineSeconds)`;
    for (const reject of rejects) reject(new ModelError(message, { retryable: false }));
  }, SECOND_MS);
  return {
    within: (job) =>
      new Promise((resolve, reject) => {
        rejects.add(reject);
        job.then(resolve, reject).finally(() => {
          rejects.delete(reject);
          idleSeconds = 0;
        });
      }),
    close: () => clearInterval(timer),
  };
}
