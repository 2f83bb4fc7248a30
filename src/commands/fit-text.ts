/**
 * Text for a terminal of so many columns. A table that is wider stands there in parts, one under another, each with its first
 * column; where that takes more than half of the width, on a line of its own. No column is left out and no value is cut. The
 * other lines of a text with a table are broken at blanks; a text without one stays as it is: it may be read by a program.
 */
export function fitText(text: string, columns: number): string {
  const lines = text.split("\n");
  if (!lines.some(isRule) || lines.every(({ length }) => length <= columns)) return text;
  const fitted: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const rule = lines[at + 1] ?? "";
    if (isRule(rule)) {
      const rows = rowsBehind(lines, at + 2, rule);
      fitted.push(...tableLines([lines[at] ?? "", rule, ...lines.slice(at + 2, at + 2 + rows)], columns));
      at += 2 + rows;
    } else fitted.push(...wrapText(lines[at++] ?? "", columns));
  }
  return fitted.join("\n");
}

/** Two blanks stand between columns (report/tables/table.ts). */
const GAP = 2;
const INDENT = "  ";

/** The line below the titles, that shows where each column stands. */
const isRule = (line: string): boolean => /^-+( {2}-+)+$/.test(line);

/** How many lines from `first` on are rows of the table: blank between all columns, and with more than their first cell. */
function rowsBehind(lines: readonly string[], first: number, rule: string): number {
  const gaps = [...rule.matchAll(/ {2}/g)].map(({ index }) => index);
  const isRow = (line: string): boolean =>
    line.length > (gaps[0] ?? 0) + GAP && gaps.every((gap) => line.slice(gap, gap + GAP).trim() === "");
  let rows = 0;
  while (isRow(lines[first + rows] ?? "")) rows += 1;
  return rows;
}

/** `lines`: titles, rule, rows. */
function tableLines(lines: readonly string[], columns: number): string[] {
  if (lines.every(({ length }) => length <= columns)) return [...lines];
  const spans = [...(lines[1] ?? "").matchAll(/-+/g)].map(({ index, 0: { length } }) => ({ index, length }));
  const [label = { index: 0, length: 0 }, ...values] = spans;
  const isStacked = label.length > columns / 2;
  const before = isStacked ? INDENT.length : label.length + GAP;
  const parts = partsOf(values, columns - before);
  const row = (line: string, part: readonly Span[], first: string): string[] => {
    const rows = linesIn(line, part, columns - before);
    return rows.map((values, at) =>
      [at === 0 ? first : first.replace(/./g, " "), values].join(" ".repeat(GAP)).trimEnd(),
    );
  };
  return parts
    .map((part) =>
      lines.flatMap((line, at) =>
        isStacked
          ? [...(at === 1 ? [] : wrapText(cell(line, label).trim(), columns)), ...row(line, part, "")]
          : row(line, part, cell(line, label)),
      ),
    )
    .flatMap((part, at) => (at === 0 ? part : ["", ...part]));
}

interface Span {
  readonly index: number;
  readonly length: number;
}

const cell = (line: string, { index, length }: Span): string => line.slice(index, index + length).padEnd(length);

/** The values of one row; one column that is wider than `width` goes on below itself, and so the rule above it ends there. */
function linesIn(line: string, part: readonly Span[], width: number): string[] {
  const [only = { index: 0, length: 0 }, ...more] = part;
  if (more.length > 0 || only.length <= width) return [part.map((span) => cell(line, span)).join(" ".repeat(GAP))];
  return isRule(line) ? ["-".repeat(width)] : wrapText(cell(line, only).trim(), width);
}

/** As many columns in each part as fit; one that is wider than the terminal stands alone. */
function partsOf(spans: readonly Span[], width: number): Span[][] {
  const parts: Span[][] = [];
  let left = 0;
  for (const span of spans) {
    const last = parts.at(-1);
    if (last !== undefined && span.length + GAP <= left) {
      last.push(span);
      left -= span.length + GAP;
    } else {
      parts.push([span]);
      left = width - span.length;
    }
  }
  return parts;
}

/** Lines of at most `width` characters, broken at blanks; a longer word stands alone. Line ends of the text are kept. */
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
