import { StringDecoder } from "node:string_decoder";

/** Most characters of one line; a program that never ends its line is stopped there. */
const MOST_CHARACTERS = 16 << 20;

/**
 * Cuts a stream into lines at `\n` only: JSON may hold the line separators of Unicode. `overlong` is called, once, in place of
 * a line that does not end.
 */
export function lineReader(line: (text: string) => void, overlong: () => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let over = false;
  return (chunk) => {
    if (over) return;
    const parts = (pending + decoder.write(chunk)).split("\n");
    pending = parts.pop() ?? "";
    for (const part of parts) line(part.replace(/\r$/, ""));
    over = pending.length > MOST_CHARACTERS;
    if (over) overlong();
  };
}
