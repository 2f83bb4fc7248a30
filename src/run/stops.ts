import { BudgetError, ModelError, UsageError } from "../errors.js";
import { firstLine } from "../text/file-trouble.js";

/** Thrown for a question that is given up because the run stops: it gets no row, so the next run asks it. */
export class Stopping extends Error {}

/** The stop of an arm: fires with the run's, and alone where the arm's model is given up, which is added to `givenUp`. */
export function armStop(stop: AbortController, givenUp: Set<ModelError>): AbortController {
  const own = new AbortController();
  return {
    signal: AbortSignal.any([stop.signal, own.signal]),
    abort(error) {
      if (error instanceof Stopping) return; // it only follows from what is known
      if (!(error instanceof ModelError) || error.scope !== "model") return stop.abort(error);
      givenUp.add(error);
      own.abort(error);
    },
  };
}

/** Returns why models were given up, a line for each; undefined where none was. */
export function allOf(givenUp: ReadonlySet<ModelError>): ModelError | undefined {
  const [first] = givenUp;
  return first?.worded([...new Set([...givenUp].map(({ message }) => message))].join("\n"));
}

/** A job whose failure stops the run or its arm, so that no new call starts. The first reason is kept. */
export function abortOnError(job: Promise<void>, stop: AbortController): Promise<void> {
  return job.catch((error) => stop.abort(error));
}

/** Returns the row's error: of a call that failed, or what the method threw. Rethrows what ends the run: caps, refused keys, stops, mistakes. */
export function callFailure(error: unknown, stop: AbortController): ModelError {
  if (stop.signal.aborted) throw new Stopping();
  if (!(error instanceof Error)) return new ModelError(String(error), { retryable: false });
  if (!endsRun(error))
    return error instanceof ModelError ? error : new ModelError(firstLine(error), { retryable: false });
  throw error;
}

/** Returns true for an error that ends the arm or the run. */
export const endsRun = (error: Error): boolean =>
  error instanceof ModelError ? error.scope !== "call" : error instanceof BudgetError || error instanceof UsageError;

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
  /** Returns true while a call is out, whose answer will move a method. */
  isWaiting(): boolean;
}

/** Counts ticks of a timer, not clock time: work that blocks the process counts as one second. */
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
