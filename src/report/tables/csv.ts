import { stringify } from "csv-stringify/sync";
import { type Column, estimateOf, type Table } from "../table.js";

type Record = { [key: string]: string | number | undefined };

/** Writes one line a row, every column. Several tables are told apart by the column `table`. */
export function renderCsv(...tables: readonly Table[]): string {
  const lines = tables.flatMap((table) =>
    recordsOf(table).map(
      (record): Record => (tables.length > 1 ? { table: table.name ?? table.title, ...record } : record),
    ),
  );
  const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))];
  return stringify(lines, { header: true, columns, escape_formulas: true });
}

/** Version of the forms of JSON that are printed and written. It grows where a key changes its meaning or goes. */
export const JSON_SCHEMA = 1;

/** Writes the same as JSON, with what stands around the rows. `facts` stand in front. */
export const renderJson = (tables: readonly Table[], facts: object = {}): string =>
  `${JSON.stringify({ schema: JSON_SCHEMA, ...facts, tables: tables.map(jsonOf) }, undefined, 2)}\n`;

function jsonOf(table: Table): object {
  const { name, title, warnings = [], notes = [], details = [] } = table;
  const rows = recordsOf(table).map((record) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, value ?? null])),
  );
  return { name, title, warnings, rows, notes: [...notes, ...details] };
}

/** Returns rows as data: numbers unrounded; the bounds of an interval have names of their own, a mark none. */
const recordsOf = ({ columns, rows }: Table): Record[] =>
  rows.map((row) => {
    const record: Record = {};
    for (const [c, column] of columns.entries()) {
      const [key, cell] = [keyOf(column), row[c]];
      const { value, interval } = estimateOf(cell);
      record[key] = typeof cell === "string" ? cell : value;
      if (!column.interval || typeof cell === "string") continue;
      record[`${key}_low`] = interval?.low;
      record[`${key}_high`] = interval?.high;
    }
    return record;
  });

const keyOf = ({ key, title, group }: Column): string =>
  group === undefined ? (key ?? title) : `${group} ${key ?? title}`;
