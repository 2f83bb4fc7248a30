import { isSignificant } from "../../statistics/significance.js";
import { grouped } from "../../text/count.js";

/** A plain table: titles and cells as text. */
export interface Table {
  readonly columns: readonly { readonly title: string; readonly align: "left" | "right" }[];
  readonly rows: readonly (readonly string[])[];
}

/** Aligned columns for a terminal, two blanks between them. */
export function renderText({ columns, rows }: Table): string {
  const widths = columns.map(({ title }, c) => Math.max(title.length, ...rows.map((row) => (row[c] ?? "").length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, c) => (columns[c]?.align === "right" ? cell.padStart(widths[c] ?? 0) : cell.padEnd(widths[c] ?? 0)))
      .join("  ")
      .trimEnd();
  return [
    line(columns.map(({ title }) => title)),
    line(widths.map((width) => "-".repeat(width))),
    ...rows.map(line),
  ].join("\n");
}

/** A GitHub-flavoured Markdown table. */
export function renderMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = columns.map(({ align }) => (align === "right" ? "---:" : "---"));
  return [line(columns.map(({ title }) => title)), line(rule), ...rows.map(line)].join("\n");
}

/** Text of a person's, of which no sign is markup. */
export const escapeMarkdown = (text: string): string => text.replaceAll(/[\\`*_{}[\]<>#|&~]/g, "\\$&");

/** The mark of a value that does not exist. Never 0. */
export const dash = "-";

/** `.513`, `1.000`, `-.004`: scores as the papers print them. */
export function formatScore(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return dash;
  return value.toFixed(3).replace(/^(-?)0\./, "$1.");
}

/** `.513 [.412, .611]`; a dash for what does not exist. */
export function formatInterval(
  value: number | undefined,
  interval: { readonly low: number; readonly high: number } | undefined,
): string {
  const between = interval === undefined ? dash : `${formatScore(interval.low)}, ${formatScore(interval.high)}`;
  return `${formatScore(value)} [${between}]`;
}

/** About three significant digits: `0.052`, `1.4`, `1,024`. */
export function formatAmount(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return dash;
  if (value >= 99.95) return grouped(Math.round(value));
  if (value === Math.round(value)) return String(value);
  return value >= 10 ? value.toFixed(1) : Number(value.toPrecision(3)).toString();
}

export function formatUsd(value: number | undefined): string {
  if (value === undefined) return dash;
  return `$${value < 0.995 ? value.toPrecision(2) : value.toFixed(2)}`;
}

/** What an arm cost; `<=` where it is a bound. */
export const formatCost = ({
  usd,
  usdAtMost,
}: {
  readonly usd: number | undefined;
  readonly usdAtMost?: true;
}): string => `${usdAtMost === true ? "<=" : ""}${formatUsd(usd)}`;

/** That a price is old; undefined where it is not. */
export const staleLine = (model: string, readOn: string | undefined): string | undefined =>
  readOn === undefined ? undefined : `the price of ${model} was read on ${readOn}; a newer one: --prices FILE`;

/** `.031`, `<.001`: a p is never 0, and one just above .05 does not look like .05: `.0501`. */
export function formatP(p: number | undefined): string {
  if (p === undefined) return dash;
  if (p < 0.001) return "<.001";
  return !isSignificant(p) && formatScore(p) === ".050"
    ? `.${String(Math.ceil(p * 1e4)).padStart(4, "0")}`
    : formatScore(p);
}
