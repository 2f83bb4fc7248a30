import { GrowingFile } from "../disk/growing-file.js";

/**
 * A JSON array as a file, written element by element, one a line. The old file stands until `close`; `drop` gives up. All
 * throw FileError.
 */
export interface JsonArrayWriter {
  write(value: unknown): void;
  close(): void;
  drop(): void;
}

export function jsonArrayWriter(path: string): JsonArrayWriter {
  const file = new GrowingFile(path);
  let before = "[\n";
  return {
    write(value) {
      file.write(before + JSON.stringify(value));
      before = ",\n";
    },
    close() {
      file.write(`${before === "[\n" ? "[" : ""}\n]\n`);
      file.finish();
    },
    drop: () => file.drop(),
  };
}
