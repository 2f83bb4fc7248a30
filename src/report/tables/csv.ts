import { stringify } from "csv-stringify/sync";
import { estimateOf, keyOf, type Table } from "../table.js";

/** One line a row, numbers unrounded; an interval has two columns of its own, a mark none. Several tables are told apart by the column `table`. */
export function renderCsv(...tables: readonly Table[]): string {
  const lines = tables.flatMap(({ name, title, columns, rows }) =>
    rows.map((row) => ({
      ...(tables.length > 1 ? { table: name ?? title } : {}),
      ...Object.fromEntries(
        columns.flatMap((column, c): [string, string | number | undefined][] => {
          const [key, cell] = [keyOf(column), row[c]];
          if (typeof cell === "string") return [[key, cell]];
          const { value, interval } = estimateOf(cell);
          if (column.interval !== true) return [[key, value]];
          return [
            [key, value],
            [`${key}_low`, interval?.low],
            [`${key}_high`, interval?.high],
          ];
        }),
      ),
    })),
  );
  const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))];
  return stringify(lines, { header: true, columns, escape_formulas: true });
}
