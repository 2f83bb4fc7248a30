import { pipeline, Readable } from "node:stream";
import { type CsvError, parse } from "csv-parse";
import { UsageError } from "../errors.js";
import { oneLine } from "../text/file-trouble.js";
import { type FileFacts, fileText } from "./file-text.js";

/** The cells of a row by column. */
export type CsvFields = Readonly<Record<string, string>>;

/** Streams the rows of a CSV file with a header, in order; rows count from 1, the header apart. Throws UsageError naming file and line. */
export async function readCsv(
  file: string,
  visit: (fields: CsvFields, row: { readonly number: number; readonly bytes: number }) => void | Promise<void>,
): Promise<FileFacts> {
  const text = fileText(file);
  let [number, counted] = [0, 0];
  const parser = parse({ columns: true, skip_empty_lines: true });
  pipeline(Readable.from(text.pieces), parser, () => undefined); // an error of either ends the loop
  try {
    for await (const fields of parser as AsyncIterable<CsvFields>) {
      number += 1;
      const { bytes } = parser.info;
      await visit(fields, { number, bytes: bytes - counted });
      counted = bytes;
    }
  } catch (error) {
    if ((error as CsvError).code?.startsWith("CSV_") !== true) throw error;
    throw new UsageError(`${file}: ${oneLine(error)}; mend it`);
  }
  return { file, bytes: text.bytes(), sha256: text.sha256(), records: number, around: [] };
}
