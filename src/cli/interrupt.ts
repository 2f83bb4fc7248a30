import { exitCodes } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** The first signal stops, a second Ctrl-C or SIGTERM leaves; a lost terminal may send more than one SIGHUP. Returns the release. */
export const stopOnInterrupt = (interrupt: AbortController, io: Terminal, wayOn: () => string): (() => void) =>
  io.onInterrupt((signal) => {
    if (!interrupt.signal.aborted) {
      io.err("\ninterrupted: finishing the calls in flight; Ctrl-C again leaves at once");
      interrupt.abort();
    } else if (signal !== "SIGHUP") {
      io.err(`left at once: ${wayOn()}`);
      io.leave(exitCodes.interrupted);
    }
  });
