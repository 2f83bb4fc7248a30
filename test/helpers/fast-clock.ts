import { realClock } from "../../src/commands/terminal.js";
import type { Clock } from "../../src/types/index.js";

/** Real time, so many times as fast. */
export function fastClock(times: number): Clock {
  const start = realClock.monotonic();
  return {
    now: () => realClock.now(),
    monotonic: () => (realClock.monotonic() - start) * times,
    sleep: (ms, signal) => realClock.sleep(ms / times, signal),
  };
}
