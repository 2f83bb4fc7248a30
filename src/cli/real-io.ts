import { setTimeout as delay } from "node:timers/promises";
import type { Io } from "../app/io.js";
import type { Clock } from "../types.js";

/** The real terminal, environment and clock. */
export function realIo(): Io {
  return {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
    env: process.env,
    clock: realClock,
    cwd: process.cwd(),
    argv: process.argv.slice(2),
    isTTY: process.stderr.isTTY === true,
    onInterrupt(handler) {
      process.on("SIGINT", handler);
      return () => process.off("SIGINT", handler);
    },
    leave: (code) => process.exit(code),
  };
}

export const realClock: Clock = {
  now: () => Date.now(),
  async sleep(delayMs, signal) {
    await delay(delayMs, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  },
};
