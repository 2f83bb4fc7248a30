/** Titles of a table, the line below them that shows where each column stands, and its rows. */
const TABLE = /^.*\n-+(?: {2}-+)+$(?:\n.* {2}.*)*/gm;

/** Blanks between columns (report/tables/text.ts). */
const GAP = 2;

/** Fits the tables of a text to a terminal: a wider one stands there in parts, one under another, each with its first column. */
export const fitText = (text: string, columns: number): string =>
  text.replace(TABLE, (table) => inParts(table.split("\n"), columns));

function inParts(rows: readonly string[], columns: number): string {
  if (rows.every(({ length }) => length <= columns)) return rows.join("\n");
  const rule = rows[1] ?? "";
  const [first = [0, 0], ...others] = Array.from(rule.matchAll(/-+/g), ({ index, 0: { length } }) => [index, length]);
  const width = ([, length = 0]: readonly number[]): number => length + GAP;
  const parts: number[][][] = [];
  let left = 0;
  for (const column of others) {
    const isNew = width(column) > left;
    if (isNew) parts.push([first]);
    parts.at(-1)!.push(column);
    left = (isNew ? columns - width(first) + GAP : left) - width(column);
  }
  const partOf = (line: string, part: readonly number[][]): string =>
    part
      .map(([from = 0, length = 0]) => line.slice(from, from + length).padEnd(length + GAP))
      .join("")
      .trimEnd();
  return parts.map((part) => rows.map((line) => partOf(line, part)).join("\n")).join("\n\n");
}

/** Breaks text at blanks into lines of at most `width` characters; a longer word stands alone. Line ends of the text are kept. */
export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let current = "";
    for (const word of line.split(" ")) {
      const longer = current === "" ? word : `${current} ${word}`;
      if (longer.length > width && current !== "") {
        lines.push(current);
        current = word;
      } else current = longer;
    }
    return [...lines, current];
  });
}
