import { html, type Markup } from "../markup.js";
import { alignOf, type Cell, type Column, estimateOf, type Table, textOf } from "../table.js";

/**
 * A table whose columns the page's script sorts; its title is for those who do not see it below a heading. Without the script, and
 * in print, a plain table.
 */
export function renderHtml({
  title = "",
  warnings = [],
  columns,
  rows,
  pinned = 0,
  notes = [],
  legend = [],
}: Table): Markup {
  const lines = [...notes, ...legend];
  const isPinned = (r: number): boolean => r >= rows.length - pinned;
  return html`${warnings.map((line) => html`<p class="warning">${line}</p>`)}
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="sortable">
<caption class="hidden">${title}</caption>
<thead><tr>${columns.map(headCell)}</tr></thead>
<tbody>
${rows.map(
  (row, r) => html`<tr${isPinned(r) ? html` class="reference"` : undefined}>${columns.map((column, c) =>
    bodyCell(row[c], column, c === 0),
  )}</tr>
`,
)}</tbody></table></div>
${lines.length === 0 ? undefined : html`<ul class="notes">${lines.map((line) => html`<li>${line}</li>`)}</ul>`}`;
}

function headCell(column: Column): Markup {
  const { group, title, help } = column;
  return html`<th scope="col" aria-sort="none"${alignOf(column) === "left" ? html` class="text"` : undefined}${
    help === undefined ? undefined : html` title="${help}"`
  }><button type="button">${group === undefined ? title : `${group} ${title}`}</button></th>`;
}

function bodyCell(cell: Cell, column: Column, isName: boolean): Markup {
  const { value = leadingNumber(cell, column), interval, rank } = estimateOf(cell);
  const { format = String, link } = column;
  const text = textOf(cell, { ...column, interval: false });
  const href = typeof cell === "string" ? link?.(cell) : undefined;
  const linked = href === undefined ? text : html`<a href="${href}">${text}</a>`;
  const content = html`${rank === 1 ? html`<strong>${linked}</strong>` : linked}${
    interval === undefined ? undefined : html`<small>[${format(interval.low)}, ${format(interval.high)}]</small>`
  }`;
  if (isName) return html`<th scope="row">${content}</th>`;
  if (alignOf(column) === "left") return html`<td class="text">${content}</td>`;
  return html`<td${value === undefined ? undefined : html` data-value="${value}"`}>${content}</td>`;
}

/** What a text in a column of numbers is sorted by: `<=$1.20`. */
function leadingNumber(cell: Cell, column: Column): number | undefined {
  if (typeof cell !== "string" || alignOf(column) === "left") return undefined;
  const value = Number.parseFloat(cell.replace(/^[$<=]+/, "").replaceAll(",", ""));
  return Number.isNaN(value) ? undefined : value;
}
