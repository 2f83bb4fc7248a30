import type { Clock } from "../../types.js";

/** Calls `ring` at a time on the clock; only the earliest time that was set counts. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #set: { readonly atMs: number; readonly off: AbortController } | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(atMs: number): void {
    if (this.#set !== undefined && this.#set.atMs <= atMs) return;
    this.clear();
    const set = { atMs, off: new AbortController() };
    this.#set = set;
    this.#clock.sleep(Math.max(0, atMs - this.#clock.monotonic()), set.off.signal).then(
      () => {
        if (this.#set !== set) return;
        this.#set = undefined;
        this.#ring();
      },
      () => undefined, // cleared
    );
  }

  clear(): void {
    this.#set?.off.abort();
    this.#set = undefined;
  }
}
