import type { Io } from "../app/io.js";
import { processIo } from "../process-io.js";

/** What commands see of the terminal, besides the outside world of the use cases: handed in, so that every command is testable. */
export interface Terminal extends Io {
  /** Results. */
  out(text: string): void;
  /** Progress and messages; what a use case tells goes here too. */
  err(text: string): void;
  /** The arguments as typed, for manifests. */
  readonly argv: readonly string[];
  readonly isTTY: boolean;
  /** Calls the handler at each Ctrl-C until released. */
  onInterrupt(handler: () => void): () => void;
  /** Leaves at once (second Ctrl-C). */
  leave(code: number): void;
}

/** The real terminal. */
export function realTerminal(): Terminal {
  const err = (text: string): void => void process.stderr.write(`${text}\n`);
  return {
    ...processIo(),
    out: (text) => process.stdout.write(`${text}\n`),
    err,
    tell: err,
    argv: process.argv.slice(2),
    isTTY: process.stderr.isTTY === true,
    onInterrupt(handler) {
      process.on("SIGINT", handler);
      return () => process.off("SIGINT", handler);
    },
    leave: (code) => process.exit(code),
  };
}
