import type { StartTimer } from "../net/deadline.js";
import { onAbort, realTimer } from "../net/deadline.js";
import type { StopSignals } from "../plan/settings.js";

/** The signals of a run, as its parts watch them. */
export interface Stops {
  /** Fires when no new call may start, for whatever reason. */
  readonly stop: AbortController;
  /** Fires when a person asks for the end. */
  readonly asked: AbortSignal;
  /** Fires when calls in flight are dropped: on demand, or where finishing them takes too long. */
  readonly kill: AbortSignal;
  /** From now on calls in flight are dropped `ms` after a person has asked for the end. Returns the release. */
  drainWithin(ms: number): () => void;
}

/** Joins the signals from outside with the run's own. */
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

/** The reason of a stop that a person asked for. Not an Error, as it is no failure. */
export class Interrupted {
  readonly name = "Interrupted";
}
