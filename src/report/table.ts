/** A table as a report makes it; `tables/` writes it as text, Markdown, LaTeX, CSV, JSON and HTML. */
export interface Table {
  /** Short and unique in its document: the label in LaTeX, the column `table` in CSV. */
  readonly name?: string;
  readonly title?: string;
  /** Above the rows; equal ones of several tables are printed once. */
  readonly warnings?: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Number of leading columns that name a row. Default: 1. */
  readonly keys?: number;
  /** Below the rows: what is true of single rows. */
  readonly notes?: readonly string[];
  /** Notes of `--wide` and of files. */
  readonly details?: readonly string[];
  /** One sentence a column; equal ones of several tables are printed once, below the last. */
  readonly legend?: readonly string[];
}

export interface Column {
  /** Its name in CSV and JSON. Default: the title. */
  readonly key?: string;
  readonly title: string;
  /** Prints its numbers. A column without is text. */
  readonly format?: (value: number) => string;
  /** Default: right for numbers, left for text. */
  readonly align?: "left" | "right";
  /** True: 95 % intervals stand behind its numbers; `wide`: with `--wide`, in CSV and in JSON only. */
  readonly interval?: boolean | "wide";
  /** A heading over neighbouring columns of the same group. */
  readonly group?: string;
  /** Shown with `--wide` only; `data`: in CSV and JSON only. */
  readonly wide?: boolean | "data";
}

export type TableCell = string | number | undefined | Estimate;

export interface Estimate {
  readonly value: number | undefined;
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
  /** Printed right behind the number: `*`. */
  readonly mark?: string;
  /** 1: best of its column, bold in documents; 2: second, underlined in LaTeX. */
  readonly rank?: 1 | 2;
}

/** Stands where a value does not exist. Never 0. */
export const dash = "-";

export interface ColumnOf<T> extends Column {
  cell(item: T): TableCell;
}

/** Returns columns and rows of a table with a row an item. */
export const rowsOfItems = <T>(
  columns: readonly ColumnOf<T>[],
  items: readonly T[],
): Pick<Table, "columns" | "rows"> => ({
  columns: columns.map(({ cell: _, ...column }) => column),
  rows: items.map((item) => columns.map(({ cell }) => cell(item))),
});

/** `accuracy [95 %]`, `LaMP-3 MAE`: of a column whose group has no line of its own. */
export const titleOf = ({ title, interval, group }: Column): string =>
  `${group === undefined ? "" : `${group} `}${title}${interval === true ? " [95 %]" : ""}`;

export const alignOf = ({ align, format }: Column): "left" | "right" =>
  align ?? (format === undefined ? "left" : "right");

export const estimateOf = (cell: TableCell): Estimate =>
  typeof cell === "object" ? cell : { value: typeof cell === "number" ? cell : undefined };

/** `[.412, .611]`; a dash in brackets where there is none. */
export const boundsOf = (interval: Estimate["interval"], format: (value: number) => string): string =>
  `[${interval === undefined ? dash : `${format(interval.low)}, ${format(interval.high)}`}]`;

/** A cell as people read it: `.513 [.412, .611]`, `1,024`, a dash for what does not exist. */
export function textOf(cell: TableCell, { format = String, interval: hasInterval }: Column): string {
  if (typeof cell === "string") return cell;
  const { value, interval, mark = "" } = estimateOf(cell);
  if (value === undefined || Number.isNaN(value)) return dash;
  return `${format(value)}${mark}${hasInterval === true ? ` ${boundsOf(interval, format)}` : ""}`;
}

/** Returns the tables with the columns that people read; `wide`: every column, and the notes of every arm. */
export function withColumns(tables: readonly Table[], wide = false): Table[] {
  return tables.map((table) => {
    const { columns, rows, notes = [], details = [] } = table;
    const shown = [...columns.keys()].filter((c) => !columns[c]!.wide || (wide && columns[c]!.wide === true));
    const ofColumn = (column: Column): Column =>
      column.interval === "wide" && wide ? { ...column, interval: true } : column;
    const people = {
      columns: shown.map((c) => ofColumn(columns[c]!)),
      rows: rows.map((row) => shown.map((c) => row[c])),
    };
    const legend = [...(table.legend ?? []), ...dashLegend(people)];
    return { ...table, ...people, notes: wide ? [...notes, ...details] : notes, legend };
  });
}

/** Says what dashes stand for, where there are any. */
function dashLegend({ columns, rows }: Pick<Table, "columns" | "rows">): string[] {
  const isThere = (cell: TableCell): boolean =>
    typeof cell === "string" ? cell !== dash : !Number.isNaN(estimateOf(cell).value ?? Number.NaN);
  const some = (test: (cell: TableCell, c: number) => boolean): boolean => rows.some((row) => row.some(test));
  const hasNoInterval = some(
    (cell, c) => columns[c]?.interval === true && isThere(cell) && estimateOf(cell).interval === undefined,
  );
  return [
    ...(some((cell) => !isThere(cell)) ? ["-: does not exist for this line"] : []),
    ...(hasNoInterval ? [NO_INTERVAL] : []),
  ];
}

const NO_INTERVAL =
  "[-]: no interval: fewer than 10 users or 5 effective ones (no p either), no spread, or a label without a gold answer";

/** Returns tables that are printed one below another, each warning above the first that has it. */
export function warnedOnce(tables: readonly Table[]): Table[] {
  const said = new Set<string>();
  return tables.map((table) => {
    const fresh = (table.warnings ?? []).filter((line) => !said.has(line));
    for (const line of fresh) said.add(line);
    return { ...table, warnings: fresh };
  });
}

/** Returns the legends of such tables, each sentence once. */
export const legendOf = (tables: readonly Table[]): string[] => [
  ...new Set(tables.flatMap(({ legend = [] }) => legend)),
];
