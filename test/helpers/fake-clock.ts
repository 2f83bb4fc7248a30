import type { Clock } from "../../src/types/index.js";

export interface FakeClock extends Clock {
  /** Sets the wall clock, as people and time servers do. */
  setWall(ms: number): void;
  /** Every sleep asked for, milliseconds. */
  readonly sleeps: readonly number[];
}

/** A clock whose sleeps end at once and move its time on. */
export function fakeClock(startMs = 0): FakeClock {
  let nowMs = startMs;
  let wallMs = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => nowMs + wallMs,
    monotonic: () => nowMs,
    setWall: (ms) => {
      wallMs = ms - nowMs;
    },
    async sleep(delayMs, signal) {
      signal.throwIfAborted();
      sleeps.push(delayMs);
      nowMs += delayMs;
    },
  };
}
