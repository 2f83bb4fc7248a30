import { type Growing, GrowingFile } from "../disk/whole-file.js";

/**
 * A JSON array as a file, written element by element, one a line. The old file stands until `finish`; `drop` gives up. All
 * throw FileError.
 */
export interface JsonArrayWriter extends Growing {
  write(value: unknown): void;
}

export function jsonArrayWriter(path: string): JsonArrayWriter {
  const file = new GrowingFile(path);
  let before = "[\n";
  let isEnded = false;
  const settle = (): void => {
    if (!isEnded) file.write(`${before === "[\n" ? "[" : ""}\n]\n`);
    isEnded = true;
    file.settle();
  };
  return {
    write(value) {
      file.write(before);
      file.write(JSON.stringify(value));
      before = ",\n";
    },
    settle,
    finish() {
      try {
        settle();
      } catch (error) {
        file.drop();
        throw error;
      }
      file.finish();
    },
    drop: () => file.drop(),
  };
}
