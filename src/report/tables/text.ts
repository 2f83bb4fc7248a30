import { alignOf, legendOf, type Table, textOf, titleOf, warnedOnce } from "../table.js";

/** Tables for a terminal: titles, warnings, aligned rows, notes, and the legend of all below the last. */
export function renderText(...tables: readonly Table[]): string {
  const blocks = warnedOnce(tables).map(({ title, warnings = [], notes = [], ...table }) =>
    [
      ...(title === undefined ? [] : [title]),
      ...warnings.map((line) => `warning: ${line}`),
      rowsOf(table),
      ...notes,
    ].join("\n"),
  );
  const legend = legendOf(tables);
  return [...blocks, ...(legend.length === 0 ? [] : [legend.join("\n")])].join("\n\n");
}

/** Blanks between columns. The line under the titles is unbroken over the columns that name a row: they stay together (cli/text/fit-text.ts). */
const GAP = "  ";

function rowsOf({ columns, rows, keys = 1 }: Table): string {
  const texts = rows.map((row) => columns.map((column, c) => textOf(row[c], column)));
  const titles = columns.map(titleOf);
  const widths = titles.map((title, c) => Math.max(title.length, ...texts.map((row) => row[c]?.length ?? 0)));
  const aligns = columns.map(alignOf);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, c) => {
        const width = widths[c] ?? 0;
        return aligns[c] === "right" ? cell.padStart(width) : cell.padEnd(width);
      })
      .join(GAP)
      .trimEnd();
  const rule = widths.map((width, c) => "-".repeat(c > 0 && c < keys ? width + GAP.length : width));
  const named = rule.slice(0, keys).join("");
  return [line(titles), [named, ...rule.slice(keys)].join(GAP), ...texts.map(line)].join("\n");
}
