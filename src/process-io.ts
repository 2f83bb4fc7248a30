import { setTimeout as delay } from "node:timers/promises";
import type { Io } from "./app/io.js";
import type { Clock } from "./types.js";

/** The outside world of this process, for the command line and for programs that use the library. Tells nobody. */
export function processIo(): Io {
  return { env: process.env, clock: realClock, cwd: process.cwd(), node: process.version, tell: () => undefined };
}

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  async sleep(delayMs, signal) {
    await delay(delayMs, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  },
};
