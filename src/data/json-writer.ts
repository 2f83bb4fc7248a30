import { type Growing, GrowingFile } from "../disk/growing-file.js";

/**
 * A JSON array as a file, written element by element, one a line. The old file stands until `finish`; `drop` gives up. All
 * throw FileError.
 */
export interface JsonArrayWriter extends Growing {
  write(value: unknown): void;
  /** An element that is JSON text already, in pieces. */
  writeText(...pieces: readonly (string | Uint8Array)[]): void;
  /** See `GrowingFile.force`. */
  force(): Promise<void>;
}

export function jsonArrayWriter(path: string): JsonArrayWriter {
  const file = new GrowingFile(path);
  let before = "[\n";
  const writeText: JsonArrayWriter["writeText"] = (...pieces) => {
    file.write(before);
    for (const piece of pieces) file.write(piece);
    before = ",\n";
  };
  let isEnded = false;
  const settle = (): void => {
    if (!isEnded) file.write(`${before === "[\n" ? "[" : ""}\n]\n`);
    isEnded = true;
    file.settle();
  };
  return {
    write: (value) => writeText(JSON.stringify(value)),
    writeText,
    force: () => file.force(),
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
