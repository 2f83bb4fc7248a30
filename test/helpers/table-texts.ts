import { type Table, textOf } from "../../src/report/table.js";

/** The cells of a table as people read them. */
export const textsOf = ({ columns, rows }: Table): string[][] =>
  rows.map((row) => columns.map((column, c) => textOf(row[c], column)));
