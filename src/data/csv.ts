import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { UsageError } from "../errors.js";
import { countOf } from "../text/count.js";
import { fileTrouble } from "../text/file-trouble.js";
import type { FileFacts } from "./json-array.js";
import type { RecordSpan, Source, UserRecord } from "./source.js";

/**
 * A data set in a CSV file, one question a row. `record` makes it of the cells by column; ids must differ. `first` is read before
 * the rows.
 */
export function csvSource(
  file: string,
  name: string,
  record: (fields: CsvFields, place: Pick<RecordSpan, "file" | "number">) => UserRecord,
  first?: () => Promise<FileFacts>,
): Source {
  let columns: CsvCells = [];
  return {
    name,
    recordPerQuestion: true,
    oldestFirst: true,
    async test(visit) {
      const before = first === undefined ? [] : [await first()];
      const ids = new Set<string>();
      const facts = await readCsv(file, (cells, span, header) => {
        columns = header;
        const read = record(byColumn(header, cells), span);
        for (const { id } of read.queries) {
          if (ids.has(id)) throw new UsageError(`${read.where}: question id ${id} is there twice; keep one`);
          ids.add(id);
        }
        return visit(read, span);
      });
      return [facts, ...before];
    },
    value: cellsOf,
    again: (cells, place) => record(byColumn(columns, cells as CsvCells), place), // as `value` gave them
  };
}

const byColumn = (header: CsvCells, cells: CsvCells): CsvFields =>
  Object.fromEntries(header.map((name, index) => [name, cells[index]!])); // as many as columns

export type CsvFields = Readonly<Record<string, string>>;

type CsvCells = readonly string[];

/**
 * Reads a CSV file (RFC 4180: quoted cells may hold commas, quotes and line breaks), with or without a mark at its beginning.
 * Rows are numbered from 1, the header apart. The file is held while it is read. Throws UsageError naming file, row and column.
 */
async function readCsv(
  file: string,
  visit: (cells: CsvCells, span: RecordSpan, header: CsvCells) => void | Promise<void>,
): Promise<FileFacts> {
  const bytes = contentOf(file);
  let header: CsvCells | undefined;
  let [number, offset, isQuoted] = [0, bytes[0] === 0xef ? 3 : 0, false]; // UTF-8's mark has three bytes
  for (let at = offset; at <= bytes.length; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    const isEnd = at === bytes.length;
    if (!isEnd && (isQuoted || bytes[at] !== LINE_FEED)) continue;
    if (isQuoted) throw new UsageError(`${file}: row ${number + 1}: a quote is opened and never closed; close it`);
    const span = { file, number: number + 1, offset, length: at - offset };
    const text = bytes.toString("utf8", offset, at);
    offset = at + 1;
    if (text.trim() === "") continue;
    const cells = cellsOf(text);
    if (header === undefined) {
      header = cells;
      continue;
    }
    number += 1;
    if (cells.length !== header.length)
      throw new UsageError(
        `${file}: row ${number}: ${countOf(cells.length, "cell")}, the header has ${header.length}; mend it`,
      );
    await visit(cells, { ...span, number }, header);
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { file, bytes: bytes.length, sha256, records: number, around: [] };
}

function cellsOf(text: string): CsvCells {
  const row = text.endsWith("\r") ? text.slice(0, -1) : text;
  const cells: string[] = [];
  for (let at = 0; at <= row.length; ) {
    if (row[at] !== '"') {
      const end = row.indexOf(",", at) < 0 ? row.length : row.indexOf(",", at);
      cells.push(row.slice(at, end));
      at = end + 1;
      continue;
    }
    let end = row.indexOf('"', at + 1);
    while (end >= 0 && row[end + 1] === '"') end = row.indexOf('"', end + 2);
    const close = end < 0 ? row.length : end;
    cells.push(row.slice(at + 1, close).replaceAll('""', '"'));
    at = close + 2;
  }
  return cells;
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${fileTrouble(error)}: ${file}`);
  }
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
