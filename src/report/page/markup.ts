import { formatScore } from "../tables/format.js";

/** Text that is HTML already: the only thing that enters a page unescaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | undefined | readonly Part[];

/** HTML with its holes filled: texts escaped (for content and for quoted attributes), Markup as it is, lists joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((string, s) => string + (s < parts.length ? fill(parts[s]) : "")).join(""));
}

/** JSON as it may stand inside a `<script>` element: no character in it can end the element or a line. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

function fill(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(fill).join("") : escapeText(String(part));
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A part of the page with an entry in its navigation. */
export interface PageSection {
  /** Unique in the page; its address. */
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

/** A section that opens and closes: closed, it is its title alone. On paper all are open. */
export const sectionMarkup = ({ id, title, body }: PageSection, isOpen: boolean): Markup =>
  html`<section id="${id}" aria-labelledby="${id}-heading"><details class="part"${new Markup(isOpen ? " open" : "")}><summary><h2 id="${id}-heading">${title}</h2></summary>
${body}
</details></section>
`;

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
  /** A file beside the page. */
  readonly href?: string | undefined;
  /** In the first cell: the row stays at the bottom, however the table is sorted. */
  readonly reference?: boolean;
}

/** A score with its interval below it. */
export const scoreCell = (
  value: number | undefined,
  interval: { readonly low: number; readonly high: number } | undefined,
  text = formatScore(value),
): Cell => ({
  text,
  value,
  ...(interval === undefined ? {} : { under: `[${formatScore(interval.low)}, ${formatScore(interval.high)}]` }),
});

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
    bodyCell(cell, c === 0 ? "row" : columns[c]?.kind),
  )}</tr>
`,
)}</tbody></table></div>`;
}

const headCell = ({ title, help, kind }: Column): Markup =>
  html`<th scope="col" aria-sort="none"${kind === "text" ? html` class="text"` : undefined}${
    help === undefined ? undefined : html` title="${help}"`
  }><button type="button">${title}</button></th>`;

function bodyCell({ text, value, under, best, href }: Cell, kind: "row" | "text" | undefined): Markup {
  const linked = href === undefined ? text : html`<a href="${href}">${text}</a>`;
  const content = html`${best === true ? html`<strong>${linked}</strong>` : linked}${
    under === undefined ? undefined : html`<small>${under}</small>`
  }`;
  if (kind === "row") return html`<th scope="row">${content}</th>`;
  if (kind === "text") return html`<td class="text">${content}</td>`;
  return html`<td${value === undefined ? undefined : html` data-value="${value}"`}>${content}</td>`;
}
