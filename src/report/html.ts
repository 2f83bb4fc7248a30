import { alignOf, boundsOf, type Column, estimateOf, type Table, type TableCell, textOf, titleOf } from "./table.js";

/** Text that is HTML or XML already: the only thing that enters a document unescaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns XML; what XML 1.0 cannot hold, even escaped (https://www.w3.org/TR/xml/#charsets), is replaced. */
export const xmlOf = ({ text }: Markup): string =>
  text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");

type Part = string | number | Markup | undefined | readonly Part[];

/** Returns HTML, or XML, with its holes filled: texts escaped, Markup as it is, lists joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((string, s) => string + (s < parts.length ? fill(parts[s]) : "")).join(""));
}

function fill(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(fill).join("") : escaped(String(part));
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Writes a table of the page. */
export function renderHtml(table: Table): Markup {
  const { title = "", warnings = [], columns, rows, notes = [], legend = [] } = table;
  const lines = rows.map((row) => html`<tr>${columns.map((column, c) => bodyCell(row[c], column, c === 0))}</tr>\n`);
  return html`${warnings.map((line) => html`<p class="warning">${line}</p>`)}
<div class="scroll" tabindex="0" role="region" aria-label="${title}">
<table><caption class="hidden">${title}</caption>
<thead><tr>${columns.map(headCell)}</tr></thead>
<tbody>${lines}</tbody></table></div>
${listOf([...notes, ...legend])}`;
}

const listOf = (lines: readonly string[]): Markup | undefined =>
  lines.length === 0 ? undefined : html`<ul class="notes">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;

function headCell(column: Column): Markup {
  const kind = alignOf(column) === "left" ? html` class="text"` : undefined;
  const text = titleOf({ ...column, interval: false });
  return html`<th scope="col"${kind}>${text}</th>`;
}

function bodyCell(cell: TableCell, column: Column, isName: boolean): Markup {
  const { value, interval, rank } = estimateOf(cell);
  const text = textOf(cell, { ...column, interval: false });
  const bounds = interval && html`<small>${boundsOf(interval, column.format ?? String)}</small>`;
  const content = html`${rank === 1 ? html`<strong>${text}</strong>` : text}${bounds}`;
  if (isName) return html`<th scope="row">${content}</th>`;
  if (alignOf(column) === "left") return html`<td class="text">${content}</td>`;
  return html`<td${value === undefined ? undefined : html` data-value="${value}"`}>${content}</td>`;
}
