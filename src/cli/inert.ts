import type { Terminal } from "./terminal.js";

/** C0 but newline and tab, DEL, C1; marks that turn the direction of text. A carriage return stands before a newline only. */
const ACTIVE = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Text that no terminal acts on: each control sign as `\u001b`, which inside JSON means the same. Clean text is unchanged. */
export const inert = (text: string): string =>
  text.replace(ACTIVE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The same terminal, to which no data, reply or error can say more than letters. */
export function inertTerminal(io: Terminal): Terminal {
  return {
    ...io,
    out: (text) => io.out(inert(text)),
    err: (text) => io.err(inert(text)),
    tell: (line) => io.tell(inert(line)),
  };
}
