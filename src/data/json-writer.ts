import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** Writes a JSON array to a file element by element, one per line, waiting whenever the disk is slower. */
export interface JsonArrayWriter {
  write(value: unknown): Promise<void>;
  close(): Promise<void>;
}

export function jsonArrayWriter(file: string): JsonArrayWriter {
  const stream = createWriteStream(file);
  const closed = finished(stream);
  closed.catch(() => undefined); // reported by the next write or by close
  let before = "[\n";
  return {
    async write(value) {
      const room = stream.write(before + JSON.stringify(value));
      before = ",\n";
      if (!room) await Promise.race([once(stream, "drain"), closed]);
    },
    async close() {
      stream.end(`${before === "[\n" ? "[" : ""}\n]\n`);
      await closed;
    },
  };
}
