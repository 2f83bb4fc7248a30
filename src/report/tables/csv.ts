import { stringify } from "csv-stringify/sync";
import { recordsOf, type Table } from "../table.js";

/** One line a row, every column. Several tables are told apart by the column `table`. */
export function renderCsv(...tables: readonly Table[]): string {
  const lines = tables.flatMap((table) =>
    recordsOf(table).map((record) => ({
      ...(tables.length > 1 ? { table: table.name ?? table.title } : {}),
      ...record,
    })),
  );
  const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))];
  return stringify(lines, { header: true, columns, escape_formulas: true });
}

/** The same as JSON, with what stands around the rows. `facts` stand in front. */
export const renderJson = (tables: readonly Table[], facts: object = {}): string =>
  `${JSON.stringify({ ...facts, tables: tables.map(jsonOf) }, undefined, 2)}\n`;

function jsonOf(table: Table): object {
  const { name, title, warnings = [], notes = [], details = [] } = table;
  const nulled = (record: object) => Object.fromEntries(Object.entries(record).map(([key, v]) => [key, v ?? null]));
  return { name, title, warnings, rows: recordsOf(table).map(nulled), notes: [...notes, ...details] };
}
