import type { Clock } from "../../src/types.js";

export interface FakeClock extends Clock {
  /** Every sleep asked for, milliseconds. */
  readonly sleeps: readonly number[];
}

/** A clock whose sleeps end at once and move its time on. */
export function fakeClock(startMs = 0): FakeClock {
  let nowMs = startMs;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => nowMs,
    async sleep(delayMs, signal) {
      signal.throwIfAborted();
      sleeps.push(delayMs);
      nowMs += delayMs;
    },
  };
}
