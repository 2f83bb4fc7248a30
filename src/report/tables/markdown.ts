import { alignOf, estimateOf, legendOf, type Table, textOf, titleOf, warnedOnce } from "../table.js";

/** Writes GitHub-flavoured Markdown, each title a heading. */
export function renderMarkdown(...tables: readonly Table[]): string {
  const blocks = warnedOnce(tables).flatMap(({ title, warnings = [], notes = [], ...table }) => [
    title === undefined ? "" : `### ${title}`,
    linesOf(warnings.map((line) => `**warning:** ${line}`)),
    rowsOf(table),
    linesOf(notes),
  ]);
  return [...blocks, linesOf(legendOf(tables))].filter((block) => block !== "").join("\n\n");
}

/** Lines that stay lines. */
const linesOf = (lines: readonly string[]): string => lines.join("  \n");

function rowsOf({ columns, rows }: Table): string {
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
