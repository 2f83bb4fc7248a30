import { type Cell, type Column, estimateOf, type Table, textOf } from "../table.js";

/**
 * Tables for a paper (booktabs, graphicx): the best of a column bold, the second underlined, 95 % intervals under their row. Title,
 * warnings and legend are the caption; notes, which only a log needs, stand in comments. Tables fit their column.
 */
export const renderLatex = (tables: readonly Table[], head: readonly string[] = []): string =>
  `${[[HEAD, ...head.map(comment), FIT].join("\n"), ...tables.map(oneTable)].join("\n\n")}\n`;

const HEAD = "% Needs \\usepackage{booktabs,graphicx}. Tables fit their column: small ones whole, wide ones in parts.";

/**
 * Sets a table at its own size, smaller where it is wider than the column; one that would be less than 5/6 of its size stands in
 * parts, one under another.
 */
const FIT = [
  "\\providecommand{\\lampfit}[2]{\\sbox0{#2}\\ifdim\\wd0>#1",
  "  \\resizebox{#1}{!}{\\usebox0}\\else\\usebox0\\fi}",
  "\\providecommand{\\lampparts}[3]{\\sbox0{#2}\\ifdim\\wd0>1.2\\dimexpr#1\\relax #3\\else\\lampfit{#1}{#2}\\fi}",
].join("\n");

const comment = (text: string): string => `% ${text.replaceAll(/\s+/g, " ")}`;

/** A table with grouped columns spans the page. */
function oneTable(table: Table): string {
  const { name, title, warnings = [], notes = [], legend = [], columns } = table;
  const isWide = columns.some(({ group }) => group !== undefined);
  const environment = isWide ? "table*" : "table";
  const caption = [
    ...warnings.map((text) => `\\textbf{${sentence(text)}}`),
    ...(title === undefined ? [] : [sentence(title)]),
    ...legend.map(sentence),
  ];
  return [
    ...notes.map(comment),
    `\\begin{${environment}}[t]`,
    "\\centering",
    "\\small",
    "\\setlength{\\tabcolsep}{3.5pt}",
    inParts(isWide ? "\\textwidth" : "\\columnwidth", table),
    `\\caption{${caption.join(" ")}}`,
    ...(name === undefined ? [] : [`\\label{tab:${name.replace(/[^\w-]+/g, "-")}}`]),
    `\\end{${environment}}`,
  ].join("\n");
}

const sentence = (text: string): string => escapeLatex(/[.!?]$/.test(text) ? text : `${text}.`);

interface Placed {
  readonly column: Column;
  readonly at: number;
}

/** Columns of numbers, or groups of them, that stand beside each other where all do not fit. */
const MOST_BESIDE = 2;

/** The whole, and the same in parts for columns that it does not fit. */
function inParts(width: string, table: Table): string {
  const placed = table.columns.map((column, at) => ({ column, at }));
  const [keys, values] = [placed.slice(0, table.keys ?? 1), placed.slice(table.keys ?? 1)];
  const groups: Placed[][] = [];
  for (const one of values) {
    const last = groups.at(-1);
    const { group } = one.column;
    if (group !== undefined && last?.[0]?.column.group === group) last.push(one);
    else groups.push([one]);
  }
  const starts = [...groups.keys()].filter((at) => at % MOST_BESIDE === 0);
  const whole = tabular(table, [...keys, ...values]);
  if (starts.length < 2) return `\\lampfit{${width}}{${whole}}`;
  const parts = starts.map(
    (at) => `\\lampfit{${width}}{${tabular(table, [...keys, ...groups.slice(at, at + MOST_BESIDE).flat()])}}`,
  );
  return `\\lampparts{${width}}{${whole}}{%\n${parts.join("\\\\[4pt]\n")}}`;
}

function tabular({ rows, keys = 1 }: Table, placed: readonly Placed[]): string {
  return [
    `\\begin{tabular}{@{}${placed.map((_, c) => (c < keys ? "l" : "r")).join("")}@{}}`,
    "\\toprule",
    ...groupLines(placed),
    line(placed.map(({ column }) => escapeLatex(column.title))),
    "\\midrule",
    ...rows.flatMap((row) => {
      const bounds = placed.map(({ at }) => boundsOf(row[at], placed.find((one) => one.at === at)!.column));
      return [
        line(placed.map(({ column, at }) => numberOf(row[at], column))),
        ...(bounds.some((text) => text !== "") ? [line(bounds)] : []),
      ];
    }),
    "\\bottomrule",
    "\\end{tabular}",
  ].join("\n");
}

/** The headings of groups and the rules below them; none where no column has a group. */
function groupLines(placed: readonly Placed[]): string[] {
  const spans: { group: string | undefined; first: number; count: number }[] = [];
  for (const [c, { column }] of placed.entries()) {
    const last = spans.at(-1);
    if (last !== undefined && column.group !== undefined && last.group === column.group) last.count += 1;
    else spans.push({ group: column.group, first: c + 1, count: 1 });
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
  const shown = value === undefined || Number.isNaN(value);
  if (typeof cell !== "string" && shown) return "--";
  const text = escapeLatex(textOf(typeof cell === "string" ? cell : value, { ...column, interval: false }));
  const ranked = rank === 1 ? `\\textbf{${text}}` : rank === 2 ? `\\underline{${text}}` : text;
  return mark === undefined ? ranked : `${ranked}$^{${mark === "†" ? "\\dagger" : escapeLatex(mark)}}$`;
}

function boundsOf(cell: Cell, { format = String }: Column): string {
  const { interval } = estimateOf(cell);
  return interval === undefined ? "" : `{\\scriptsize [${format(interval.low)}, ${format(interval.high)}]}`;
}

/** Text as LaTeX prints it: every special character escaped. */
export function escapeLatex(text: string): string {
  return text.replace(/[\\{}$&#%_^~<>|]/g, (letter) => escapes[letter] ?? letter).replace(/[^\x20-\x7e]/g, ascii);
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  _: "\\_",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
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
