import type { Table } from "../tables/table.js";
import type { Markup } from "./markup.js";
import { sortableTable } from "./sortable-table.js";

/** A table made for the terminal, as one of the page: right-aligned columns sort by the number their cells begin with. */
export const plainTable = (caption: string, { columns, rows }: Table): Markup =>
  sortableTable({
    caption,
    columns: columns.map(({ title, align }) => (align === "left" ? { title, kind: "text" } : { title })),
    rows: rows.map((cells) => cells.map((text) => ({ text, value: leadingNumber(text) }))),
  });

// --- internal ---

function leadingNumber(text: string): number | undefined {
  const value = Number.parseFloat(text.replace(/^[$<]/, "").replaceAll(",", ""));
  return Number.isNaN(value) ? undefined : value;
}
