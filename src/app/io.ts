import type { Clock } from "../types.js";

/** The outside world as commands see it: handed in, so that every command is testable. */
export interface Io {
  /** Results. */
  out(text: string): void;
  /** Progress and messages. */
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly cwd: string;
  /** The arguments as typed, for manifests. */
  readonly argv: readonly string[];
  readonly isTTY: boolean;
  /** Calls the handler at each Ctrl-C until released. */
  onInterrupt(handler: () => void): () => void;
  /** Leaves at once (second Ctrl-C). */
  leave(code: number): void;
}
