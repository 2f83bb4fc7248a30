import type { Clock } from "../../../src/types/index.js";

interface Timer {
  readonly atMs: number;
  readonly order: number;
  wake(): void;
}

/** Time that stands still while anything can be done, and then jumps to the next timer: hours pass in milliseconds. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #order = 0;
  readonly #timers: Timer[] = [];

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const timer: Timer = {
        atMs: this.#nowMs + delayMs,
        order: this.#order++,
        wake: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      const giveUp = (): void => {
        this.#timers.splice(this.#timers.indexOf(timer), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#insert(timer);
    });
  }

  /** Lets time pass until the work is done. Throws where the work waits for something that no timer brings. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = (): void => {
      isDone = true;
    };
    work.then(done, done);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve)); // whatever can go on goes on
      if (isDone) return work;
      const next = this.#timers[0];
      if (next === undefined) throw new Error(`nothing happens any more at ${this.#nowMs} ms`);
      this.#nowMs = next.atMs;
      while (this.#timers[0]?.atMs === next.atMs) this.#timers.shift()?.wake();
    }
  }

  #insert(timer: Timer): void {
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#timers[middle]!.atMs <= timer.atMs) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
  }
}
