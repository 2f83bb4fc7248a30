import { type Table, textOf, titleOf, withColumns } from "../../src/report/table.js";

/** The arms of a table as people read them. */
const textsOf = ({ columns, rows }: Table): string[][] =>
  rows.map((row) => columns.map((column, c) => textOf(row[c], column)));

/** Tables as people read them, with all that stands around the rows. */
export const shown = (tables: readonly Table[], wide = false) =>
  withColumns(tables, wide).map((table) => ({
    title: table.title ?? "",
    table: { columns: table.columns.map((column) => ({ title: titleOf(column) })), rows: textsOf(table) },
    notes: [...(table.notes ?? [])],
    legend: [...(table.legend ?? [])],
  }));
