import { Interrupted } from "../../run/engine.js";

/** How a run is stopped from outside. */
export interface StopSignals {
  /** Aborted: no new call starts, those in flight are finished and stored. */
  readonly signal?: AbortSignal | undefined;
  /** Aborted: calls in flight are dropped too. */
  readonly kill?: AbortSignal | undefined;
}

/** The signals of a run, as its parts watch them. */
export interface Stops {
  /** Fires when no new call may start, for whatever reason. */
  readonly stop: AbortController;
  /** Fires when a person asks for the end. */
  readonly asked: AbortSignal;
  readonly kill: AbortSignal;
}

/** Joins the signals from outside with the run's own. */
export function openStops({ signal, kill }: StopSignals): Stops {
  const never = new AbortController().signal;
  const asked = AbortSignal.any([signal ?? never, kill ?? never]);
  const stop = new AbortController();
  const halt = (): void => stop.abort(new Interrupted());
  if (asked.aborted) halt();
  else asked.addEventListener("abort", halt, { once: true });
  return { stop, asked, kill: kill ?? never };
}
