import { alignOf, estimateOf, legendOf, type Table, textOf, titleOf, warnedOnce } from "../table.js";

/** Writes tables for a terminal, the legend of all below the last. */
export function renderText(...tables: readonly Table[]): string {
  const blocks = warnedOnce(tables).map(({ title, warnings = [], notes = [], ...table }) => [
    ...(title === undefined ? [] : [title]),
    ...warnings.map((line) => `warning: ${line}`),
    ...rowsOf(table),
    ...notes,
  ]);
  return [...blocks, legendOf(tables)]
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

const GAP = "  ";

/** The rule is unbroken over the columns that name a row: they stay together on a narrow screen. */
function rowsOf({ columns, rows, keys = 1 }: Table): string[] {
  const texts = [columns.map(titleOf), ...rows.map((row) => columns.map((column, c) => textOf(row[c], column)))];
  const widths = columns.map((_, c) => Math.max(...texts.map((line) => line[c]!.length)));
  const [titles = "", ...lines] = texts.map((line) => {
    const padded = line.map((text, c) =>
      alignOf(columns[c]!) === "right" ? text.padStart(widths[c]!) : text.padEnd(widths[c]!),
    );
    return padded.join(GAP).trimEnd();
  });
  const rule = widths.map((width, c) => `${"-".repeat(width)}${(c + 1 < keys ? "-" : " ").repeat(GAP.length)}`);
  return [titles, rule.join("").trimEnd(), ...lines];
}

/** Writes GitHub-flavoured Markdown, each title a heading. */
export function renderMarkdown(...tables: readonly Table[]): string {
  const blocks = warnedOnce(tables).flatMap(({ title, warnings = [], notes = [], ...table }) => [
    title === undefined ? "" : `### ${title}`,
    unfolded(warnings.map((line) => `**warning:** ${line}`)),
    markdownRows(table),
    unfolded(notes),
  ]);
  return [...blocks, unfolded(legendOf(tables))].filter((block) => block !== "").join("\n\n");
}

const unfolded = (lines: readonly string[]): string => lines.join("  \n");

function markdownRows({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const texts = rows.map((row) =>
    columns.map((column, c) => {
      const text = textOf(row[c], column);
      return estimateOf(row[c]).rank === 1 ? `**${text}**` : text;
    }),
  );
  const rule = columns.map((column) => (alignOf(column) === "right" ? "---:" : "---"));
  return [columns.map(titleOf), rule, ...texts].map(line).join("\n");
}
