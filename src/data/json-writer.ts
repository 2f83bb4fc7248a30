import { GrowingFile } from "../disk/growing-file.js";

/**
 * A JSON array as a file, written element by element, one a line. The old file stands until `close`; `drop` gives up. All
 * throw FileError.
 */
export interface JsonArrayWriter {
  write(value: unknown): void;
  /** An element that is JSON text already, in pieces. */
  writeText(...pieces: readonly (string | Uint8Array)[]): void;
  /** See `GrowingFile.force`. */
  force(): Promise<void>;
  close(): void;
  drop(): void;
}

export function jsonArrayWriter(path: string): JsonArrayWriter {
  const file = new GrowingFile(path);
  let before = "[\n";
  const writeText: JsonArrayWriter["writeText"] = (...pieces) => {
    file.write(before);
    for (const piece of pieces) file.write(piece);
    before = ",\n";
  };
  return {
    write: (value) => writeText(JSON.stringify(value)),
    writeText,
    force: () => file.force(),
    close() {
      file.write(`${before === "[\n" ? "[" : ""}\n]\n`);
      file.finish();
    },
    drop: () => file.drop(),
  };
}
