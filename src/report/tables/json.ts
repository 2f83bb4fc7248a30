import { type Cell, keyOf, type Table } from "../table.js";

/** Tables as data: a row is an object, by the keys of its columns; absent: no value. */
export const tableData = (...tables: readonly Table[]) =>
  tables.map(({ name, title, warnings, columns, rows, notes, legend }) => ({
    name,
    title,
    warnings,
    rows: rows.map((row) =>
      Object.fromEntries(
        columns.flatMap((column, c) => {
          const value = dataOf(row[c]);
          return value === undefined ? [] : [[keyOf(column), value]];
        }),
      ),
    ),
    notes,
    legend,
  }));

/** A number stays a number where it has neither interval nor mark. */
function dataOf(cell: Cell): unknown {
  if (typeof cell !== "object") return cell;
  const { value, interval, mark } = cell;
  if (value === undefined) return undefined;
  return interval === undefined && mark === undefined ? value : { value, ...interval, mark };
}
