/**
 * Fits text with tables to a terminal. A wider table stands there in parts, one under another, each with its first column. No value
 * is cut. Text without a table stays as it is: a program may read it.
 */
export function fitText(text: string, columns: number): string {
  const lines = text.split("\n");
  if (!lines.some(isRule) || lines.every(({ length }) => length <= columns)) return text;
  const fitted: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const rule = lines[at + 1] ?? "";
    let end = at + 2;
    if (isRule(rule)) while (isRow(lines[end] ?? "", rule)) end += 1;
    else end = at + 1;
    const block = lines.slice(at, end);
    fitted.push(...(isRule(rule) ? tableLines(block, columns) : wrapText(block[0] ?? "", columns)));
    at = end;
  }
  return fitted.join("\n");
}

/** Two blanks stand between columns (report/tables/text.ts). */
const GAP = 2;

/** Tells the line below the titles, which shows where each column stands. */
const isRule = (line: string): boolean => /^-+( {2}-+)+$/.test(line);

/** Tells a row of a table: it is blank between all columns, and has more than its first cell. */
function isRow(line: string, rule: string): boolean {
  const gaps = [...rule.matchAll(/ {2}/g)].map(({ index }) => index);
  return line.length > (gaps[0] ?? 0) + GAP && gaps.every((gap) => line.slice(gap, gap + GAP).trim() === "");
}

interface Span {
  readonly index: number;
  readonly length: number;
}

/** Breaks a table into parts. `rows`: titles, rule, rows. */
function tableLines(rows: readonly string[], columns: number): readonly string[] {
  if (rows.every(({ length }) => length <= columns)) return rows;
  const spans = [...(rows[1] ?? "").matchAll(/-+/g)].map(({ index, 0: { length } }): Span => ({ index, length }));
  const [label = { index: 0, length: 0 }, ...values] = spans;
  const parts: Span[][] = [];
  let left = 0;
  for (const span of values) {
    const last = parts.at(-1);
    if (last === undefined || span.length + GAP > left) {
      parts.push([span]);
      left = columns - label.length - GAP - span.length;
    } else {
      last.push(span);
      left -= span.length + GAP;
    }
  }
  const cell = (line: string, { index, length }: Span) => line.slice(index, index + length).padEnd(length);
  return parts.flatMap((part, at) => [
    ...(at === 0 ? [] : [""]),
    ...rows.map((line) =>
      [label, ...part]
        .map((span) => cell(line, span))
        .join("  ")
        .trimEnd(),
    ),
  ]);
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
