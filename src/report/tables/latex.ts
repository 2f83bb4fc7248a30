import { type Cell, type Column, estimateOf, type Table, textOf } from "../table.js";

/**
 * Tables for a paper (booktabs, graphicx): the best of a column bold, the second underlined, 95 % intervals under their row. Title,
 * warnings and legend are the caption; notes, which only a log needs, stand in comments. A table wider than its column is made smaller.
 */
export const renderLatex = (tables: readonly Table[], head: readonly string[] = []): string =>
  `${[["% Needs \\usepackage{booktabs,graphicx}.", ...head.map(comment), FIT].join("\n"), ...tables.map(oneTable)].join("\n\n")}\n`;

const FIT =
  "\\providecommand{\\lampfit}[2]{\\sbox0{#2}\\ifdim\\wd0>#1\\resizebox{#1}{!}{\\usebox0}\\else\\usebox0\\fi}";

const comment = (text: string): string => `% ${text.replaceAll(/\s+/g, " ")}`;

/** A table with grouped columns, or with many, spans the page. */
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

const MOST_IN_COLUMN = 6;

const sentence = (text: string): string => escapeLatex(/[.!?]$/.test(text) ? text : `${text}.`);

function tabular({ columns, rows, keys = 1 }: Table): string {
  return [
    `\\begin{tabular}{@{}${columns.map((_, c) => (c < keys ? "l" : "r")).join("")}@{}}`,
    "\\toprule",
    ...groupLines(columns),
    line(columns.map(({ title }) => escapeLatex(title))),
    "\\midrule",
    ...rows.flatMap((row) => {
      const bounds = columns.map((column, c) => boundsOf(row[c], column));
      return [
        line(columns.map((column, c) => numberOf(row[c], column))),
        ...(bounds.some((text) => text !== "") ? [line(bounds)] : []),
      ];
    }),
    "\\bottomrule",
    "\\end{tabular}",
  ].join("\n");
}

/** The headings of groups and the rules below them; none where no column has a group. */
function groupLines(columns: readonly Column[]): string[] {
  const spans: { group: string | undefined; first: number; count: number }[] = [];
  for (const [c, { group }] of columns.entries()) {
    const last = spans.at(-1);
    if (last !== undefined && group !== undefined && last.group === group) last.count += 1;
    else spans.push({ group, first: c + 1, count: 1 });
  }
  const named = spans.filter(({ group }) => group !== undefined);
  if (named.length === 0) return [];
  return [
    line(
      spans.map(({ group, count }) => (group === undefined ? "" : `\\multicolumn{${count}}{c}{${escapeLatex(group)}}`)),
    ),
    named.map(({ first, count }) => `\\cmidrule(lr){${first}-${first + count - 1}}`).join(" "),
  ];
}

const line = (cells: readonly string[]): string => `${cells.join(" & ")} \\\\`;

/** The number without its interval, which stands below. */
function numberOf(cell: Cell, column: Column): string {
  const { value, mark, rank } = estimateOf(cell);
  if (typeof cell !== "string" && (value === undefined || Number.isNaN(value))) return "--";
  const text = escapeLatex(textOf(typeof cell === "string" ? cell : value, { ...column, interval: false }));
  const ranked = rank === 1 ? `\\textbf{${text}}` : rank === 2 ? `\\underline{${text}}` : text;
  return mark === undefined ? ranked : `${ranked}$^{${mark === "†" ? "\\dagger" : escapeLatex(mark)}}$`;
}

function boundsOf(cell: Cell, { format = String, interval: hasInterval }: Column): string {
  const { interval } = estimateOf(cell);
  if (hasInterval !== true || interval === undefined) return "";
  return `{\\scriptsize [${format(interval.low)}, ${format(interval.high)}]}`;
}

/** Text as LaTeX prints it: every special character escaped. */
function escapeLatex(text: string): string {
  return text.replace(/[\\{}$&#%_^~<>|]/g, (letter) => escapes[letter] ?? letter).replace(/[^\x20-\x7e]/g, ascii);
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  ...Object.fromEntries([..."{}$&#%_"].map((letter) => [letter, `\\${letter}`])),
};

const signs: Readonly<Record<string, string>> = {
  "·": "\\textperiodcentered{}",
  "†": "$\\dagger$",
  "‡": "$\\ddagger$",
  "≤": "$\\leq$",
  "↑": "$\\uparrow$",
  "↓": "$\\downarrow$",
};

/** Letters of Latin-1 are left to the document's encoding; what old engines refuse is named by its number. */
const ascii = (letter: string): string => {
  const named = signs[letter];
  if (named !== undefined) return named;
  if (letter >= "\u00a0" && letter <= "\u017f") return letter;
  return /\s/.test(letter) ? " " : `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
};
