import { tasks } from "../../tasks/index.js";
import type { Column, Table } from "../table.js";
import type { PaperColumn, PaperTable } from "./paper.js";

/** Said of a figure, or of a table of examples. */
export const NO_NUMBERS = "no published numbers: a picture, or an example";

/** Writes `0.513` as `.513`. */
export const bare = (printed: string): string => printed.replace(/^(-?)0\./, "$1.");

/** Lays cells out as the paper does: a row a row, or transposed a row a column. */
export function gridOf(
  { name, rows, columns, transposed, heads = ["Method"] }: PaperTable,
  cellOf: (row: number, column: number) => string,
): Table {
  const names = columns.map(nameOf);
  const isGrouped = (transposed ? names : rows).some(({ group }) => group !== undefined);
  const grouped = (group: string | undefined): string[] => (isGrouped ? [group ?? ""] : []);
  const right = (column: Pick<Column, "title" | "group">): Column => ({ ...column, align: "right" });
  if (!transposed)
    return {
      name,
      columns: [...heads.map((title) => ({ title })), ...names.map(right)],
      keys: heads.length,
      rows: rows.map(({ label, group }, r) => [...grouped(group), label, ...columns.map((_, c) => cellOf(r, c))]),
    };
  const [first, second = ""] = heads[1] === undefined ? ["Dataset", "Metric"] : heads;
  const keys = [...grouped(first), second].map((title): Column => ({ title }));
  return {
    name,
    columns: [...keys, ...rows.map(({ label }) => right({ title: label }))],
    keys: keys.length,
    rows: names.map(({ group, title }, c) => [...grouped(group), title, ...rows.map((_, r) => cellOf(r, c))]),
  };
}

function nameOf({ task, metric, title = metric, group }: PaperColumn): Pick<Column, "title" | "group"> {
  const heading = group ?? tasks.get(task).title.split(":")[0];
  return heading === undefined || heading === "" ? { title } : { title, group: heading };
}
