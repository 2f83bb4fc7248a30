import { html, type Markup, sortableTable } from "../page/markup.js";
import { alignOf, type Cell, type Column, estimateOf, type Table, textOf } from "../table.js";

/** A table that the page's script sorts; its title is for those who do not see it below a heading. */
export function renderHtml({ title = "", warnings = [], columns, rows, notes = [], legend = [] }: Table): Markup {
  const lines = [...notes, ...legend];
  return html`${warnings.map((line) => html`<p class="warning">${line}</p>`)}
${sortableTable({
  caption: title,
  columns: columns.map((column) => ({
    title: column.group === undefined ? column.title : `${column.group} ${column.title}`,
    ...(column.help === undefined ? {} : { help: column.help }),
    ...(alignOf(column) === "left" ? ({ kind: "text" } as const) : {}),
  })),
  rows: rows.map((row) =>
    columns.map((column, c) => {
      const { value = leadingNumber(row[c], column), interval, rank } = estimateOf(row[c]);
      const { format = String } = column;
      return {
        text: textOf(row[c], { ...column, interval: false }),
        value,
        ...(interval === undefined ? {} : { under: `[${format(interval.low)}, ${format(interval.high)}]` }),
        ...(rank === 1 ? { best: true } : {}),
      };
    }),
  ),
})}
${lines.length === 0 ? undefined : html`<ul class="notes">${lines.map((line) => html`<li>${line}</li>`)}</ul>`}`;
}

/** What a text in a column of numbers is sorted by: `<=$1.20`. */
function leadingNumber(cell: Cell, column: Column): number | undefined {
  if (typeof cell !== "string" || alignOf(column) === "left") return undefined;
  const value = Number.parseFloat(cell.replace(/^[$<=]+/, "").replaceAll(",", ""));
  return Number.isNaN(value) ? undefined : value;
}
