import { html, type Markup } from "./markup.js";

export interface Column {
  readonly title: string;
  readonly help?: string;
  /** `text`: left-aligned and sorted by letters. Default: a number. */
  readonly kind?: "text";
}

export interface Cell {
  readonly text: string;
  /** What it is sorted by; cells without stand last. Of text columns: the text. */
  readonly value?: number | undefined;
  /** A second, smaller line. */
  readonly under?: string;
  readonly best?: boolean;
  /** In the first cell: the row stays at the bottom, however the table is sorted. */
  readonly reference?: boolean;
}

/** A table whose columns the page's script sorts. Without the script, and in print, a plain table. */
export function sortableTable(table: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}): Markup {
  const { caption, columns, rows } = table;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="sortable">
<caption class="hidden">${caption}</caption>
<thead><tr>${columns.map(headCell)}</tr></thead>
<tbody>
${rows.map(
  (cells) => html`<tr${cells[0]?.reference === true ? html` class="reference"` : undefined}>${cells.map((cell, c) =>
    bodyCell(cell, columns[c]),
  )}</tr>
`,
)}</tbody></table></div>`;
}

const headCell = ({ title, help, kind }: Column): Markup =>
  html`<th scope="col" aria-sort="none"${kind === "text" ? html` class="text"` : undefined}${
    help === undefined ? undefined : html` title="${help}"`
  }><button type="button">${title}</button></th>`;

function bodyCell({ text, value, under, best }: Cell, column: Column | undefined): Markup {
  const content = html`${best === true ? html`<strong>${text}</strong>` : text}${
    under === undefined ? undefined : html`<small>${under}</small>`
  }`;
  if (column?.kind === "text") return html`<th scope="row">${content}</th>`;
  return html`<td${value === undefined ? undefined : html` data-value="${value}"`}>${content}</td>`;
}
