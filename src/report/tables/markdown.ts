import { alignOf, estimateOf, legendOf, type Table, textOf, titleOf, warnedOnce } from "../table.js";

/** GitHub-flavoured Markdown, each title a heading. */
export function renderMarkdown(...tables: readonly Table[]): string {
  const blocks = warnedOnce(tables).map(({ title, warnings = [], notes = [], ...table }) =>
    [
      ...(title === undefined ? [] : [`### ${title}`]),
      ...(warnings.length === 0 ? [] : [linesOf(warnings.map((line) => `**warning:** ${line}`))]),
      rowsOf(table),
      ...(notes.length === 0 ? [] : [linesOf(notes)]),
    ].join("\n\n"),
  );
  const legend = legendOf(tables);
  return [...blocks, ...(legend.length === 0 ? [] : [linesOf(legend)])].join("\n\n");
}

/** Lines that stay lines. */
const linesOf = (lines: readonly string[]): string => lines.join("  \n");

function rowsOf({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = columns.map((column) => (alignOf(column) === "right" ? "---:" : "---"));
  return [
    line(columns.map(titleOf)),
    line(rule),
    ...rows.map((row) =>
      line(
        columns.map((column, c) => {
          const text = textOf(row[c], column);
          return estimateOf(row[c]).rank === 1 ? `**${text}**` : text;
        }),
      ),
    ),
  ].join("\n");
}
