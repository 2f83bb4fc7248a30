import { type Column, estimateOf, type Table, type TableCell, textOf } from "../table.js";

/**
 * Writes tables for a paper (booktabs, graphicx): the best of a column bold, the second underlined, 95 % intervals below their
 * row. Title, warnings and legend are the caption; notes stand in comments. A table wider than its column is made smaller.
 */
export const renderLatex = (tables: readonly Table[], head: readonly string[] = []): string =>
  `${[[NEEDS, ...head.map(comment), FIT].join("\n"), ...tables.map(oneTable)].join("\n\n")}\n`;

const NEEDS = "% Needs \\usepackage{booktabs,graphicx}.";
const FIT = [
  "\\providecommand{\\lampfit}[2]{\\sbox0{#2}",
  "\\ifdim\\wd0>#1\\resizebox{#1}{!}{\\usebox0}\\else\\usebox0\\fi}",
].join("");

const comment = (text: string): string => `% ${text.replaceAll(/\s+/g, " ")}`;

/** A table with more columns, or with groups of them, spans the page. */
const MOST_IN_COLUMN = 6;

function oneTable(table: Table): string {
  const { name, title, warnings = [], notes = [], legend = [], columns, rows } = table;
  const isWide = columns.length > MOST_IN_COLUMN || columns.some(({ group }) => group !== undefined);
  const [environment, width] = isWide ? ["table*", "\\textwidth"] : ["table", "\\columnwidth"];
  const isRanked = rows.some((row) => row.some((cell) => estimateOf(cell).rank !== undefined));
  const caption = [
    ...warnings.map((text) => `\\textbf{${sentence(text)}}`),
    ...(title === undefined ? [] : [sentence(title)]),
    ...(isRanked ? ["Best in bold, second underlined."] : []),
    ...legend.map(sentence),
  ];
  return [
    ...notes.map(comment),
    `\\begin{${environment}}[t]`,
    "\\centering",
    "\\small",
    "\\setlength{\\tabcolsep}{3.5pt}",
    `\\lampfit{${width}}{${tabular(table)}}`,
    `\\caption{${caption.join(" ")}}`,
    ...(name === undefined ? [] : [`\\label{tab:${name.replace(/[^\w-]+/g, "-")}}`]),
    `\\end{${environment}}`,
  ].join("\n");
}

const sentence = (text: string): string => escaped(/[.!?]$/.test(text) ? text : `${text}.`);

function tabular({ columns, rows, keys = 1 }: Table): string {
  const body = rows.flatMap((row) => {
    const bounds = columns.map((column, c) => boundsOf(row[c], column));
    const numbers = line(columns.map((column, c) => numberOf(row[c], column)));
    return bounds.every((text) => text === "") ? [numbers] : [numbers, line(bounds)];
  });
  return [
    `\\begin{tabular}{@{}${columns.map((_, c) => (c < keys ? "l" : "r")).join("")}@{}}`,
    "\\toprule",
    ...groupLines(columns),
    line(columns.map(({ title }) => escaped(title))),
    "\\midrule",
    ...body,
    "\\bottomrule",
    "\\end{tabular}",
  ].join("\n");
}

/** The headings of groups and the rules below them; none where no column has a group. */
function groupLines(columns: readonly Column[]): string[] {
  const spans: { group: string | undefined; first: number; last: number }[] = [];
  for (const [c, { group }] of columns.entries()) {
    const before = spans.at(-1);
    if (before !== undefined && group !== undefined && before.group === group) before.last = c + 1;
    else spans.push({ group, first: c + 1, last: c + 1 });
  }
  const named = spans.filter(({ group }) => group !== undefined);
  if (named.length === 0) return [];
  const headings = spans.map(({ group, first, last }) =>
    group === undefined ? "" : `\\multicolumn{${last - first + 1}}{c}{${escaped(group)}}`,
  );
  return [line(headings), named.map(({ first, last }) => `\\cmidrule(lr){${first}-${last}}`).join(" ")];
}

const line = (cells: readonly string[]): string => `${cells.join(" & ")} \\\\`;

/** The number without its interval, which stands below. */
function numberOf(cell: TableCell, column: Column): string {
  const { value, mark, rank } = estimateOf(cell);
  if (typeof cell !== "string" && (value === undefined || Number.isNaN(value))) return "--";
  const text = escaped(textOf(typeof cell === "string" ? cell : value, { ...column, interval: false }));
  const ranked = rank === 1 ? `\\textbf{${text}}` : rank === 2 ? `\\underline{${text}}` : text;
  return mark === undefined ? ranked : `${ranked}$^{${mark === "†" ? "\\dagger" : escaped(mark)}}$`;
}

function boundsOf(cell: TableCell, { format = String, interval: hasInterval }: Column): string {
  const { interval } = estimateOf(cell);
  if (hasInterval !== true || interval === undefined) return "";
  return `{\\scriptsize [${format(interval.low)}, ${format(interval.high)}]}`;
}

const signs: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  "·": "\\textperiodcentered{}",
  "†": "$\\dagger$",
  "‡": "$\\ddagger$",
  "≤": "$\\leq$",
  "↑": "$\\uparrow$",
  "↓": "$\\downarrow$",
};

/** Letters of Latin-1 are left to the document's encoding; what old engines refuse is named by its number. */
const escaped = (text: string): string =>
  text.replace(/[{}$&#%_]|[^\x20-\x7e\u00a0-\u017f]|[\\^~<>|·]/g, (sign) => {
    if (signs[sign] !== undefined) return signs[sign];
    if ("{}$&#%_".includes(sign)) return `\\${sign}`;
    return /\s/.test(sign) ? " " : `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`;
  });
