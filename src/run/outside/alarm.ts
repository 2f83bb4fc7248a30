import type { Clock } from "../../types/index.js";

/** Calls a function at a time on the clock, the earliest that was asked for. */
export class Alarm {
  readonly #clock: Clock;
  readonly #fire: () => void;
  #set: { readonly atMs: number; readonly off: AbortController } | undefined;

  constructor(clock: Clock, fire: () => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Infinity: not at all. */
  at(atMs: number): void {
    if (this.#set !== undefined && this.#set.atMs <= atMs && atMs !== Number.POSITIVE_INFINITY) return;
    this.#set?.off.abort();
    this.#set = undefined;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const set = { atMs, off: new AbortController() };
    this.#set = set;
    this.#clock.sleep(Math.max(0, atMs - this.#clock.monotonic()), set.off.signal).then(
      () => {
        if (this.#set !== set) return;
        this.#set = undefined;
        this.#fire();
      },
      () => undefined, // put off
    );
  }
}
