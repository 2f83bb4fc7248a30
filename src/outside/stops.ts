import type { StartTimer } from "../net/deadline.js";
import { onAbort, realTimer } from "../net/deadline.js";
import type { StopSignals } from "../plan/settings.js";

/** The abort signals of a run. */
export interface Stops {
  /** Aborted when no new call may start, for whatever reason. */
  readonly stop: AbortController;
  /** Aborted by a person: Ctrl-C, SIGTERM, SIGHUP, or a signal of the library. */
  readonly asked: AbortSignal;
  /** Aborted when calls in flight are dropped: on demand, or because finishing them takes too long. */
  readonly kill: AbortSignal;
  /** Drops calls in flight `ms` after `asked`. Returns a function that cancels this. */
  drainWithin(ms: number): () => void;
}

/** Combines the signals that were handed in with the run's own. */
export function openStops({ signal, kill: dropped }: StopSignals, startTimer: StartTimer = realTimer): Stops {
  const never = new AbortController().signal;
  const asked = AbortSignal.any([signal ?? never, dropped ?? never]);
  const stop = new AbortController();
  const late = new AbortController();
  onAbort(asked, () => stop.abort(new Interrupted()));
  return {
    stop,
    asked,
    kill: AbortSignal.any([dropped ?? never, late.signal]),
    drainWithin(ms) {
      let cancel = (): void => undefined;
      const begin = (): void => {
        cancel = startTimer(ms, () => late.abort(new Interrupted()));
      };
      onAbort(asked, begin);
      return () => {
        asked.removeEventListener("abort", begin);
        cancel();
      };
    },
  };
}

/** The reason of a stop that a person asked for. No Error: it is not a failure. */
export class Interrupted {
  readonly name = "Interrupted";
}
