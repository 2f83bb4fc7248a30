import { UsageError } from "../errors.js";
import { choices } from "../registry/registry.js";

/** A table as a report makes it. Text, Markdown, LaTeX, CSV, JSON and HTML are renderings of it (`tables/`). */
export interface Table {
  /** Short and unique in its document: the label in LaTeX, the column `table` in CSV. */
  readonly name?: string;
  /** What, where, who, how many. Absent in a table that stands below another title. */
  readonly title?: string;
  /** What a reader must act upon, printed once, above the rows. */
  readonly warnings?: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** How many leading columns name a row; a table split for a narrow screen repeats them. Default: 1. */
  readonly keys?: number;
  /** How many last rows stay the last, however a page sorts. Default: 0. */
  readonly pinned?: number;
  /** Below the rows: what is true of single rows. */
  readonly notes?: readonly string[];
  /** Notes of `--wide` and of files. */
  readonly details?: readonly string[];
  /** One sentence a column. Several tables print equal sentences once, below the last. */
  readonly legend?: readonly string[];
}

export interface Column {
  /** Its name in CSV, JSON and `--columns`. Default: the title. */
  readonly key?: string;
  readonly title: string;
  /** How its numbers are printed. A column without is text, aligned left. */
  readonly format?: (value: number) => string;
  /** Default: right for numbers, left for text. */
  readonly align?: "left" | "right";
  /** Whether 95 % intervals stand behind its numbers; `wide`: with `--wide`, in CSV and in JSON only. */
  readonly interval?: boolean | "wide";
  /** A heading over neighbouring columns of the same group. */
  readonly group?: string;
  /** What the column means, for a page that shows it on request. */
  readonly help?: string;
  /** The file that a page leads to from one of its texts. */
  readonly link?: (text: string) => string | undefined;
  /** Shown with `--wide` or by its name only; `data`: in CSV and JSON only. */
  readonly wide?: boolean | "data";
}

export type Cell = string | number | undefined | Estimate;

export interface Estimate {
  readonly value: number | undefined;
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
  /** Printed right behind the number: `*`. */
  readonly mark?: string;
  /** 1: best of its column, bold in documents; 2: second, underlined in LaTeX. */
  readonly rank?: 1 | 2;
}

/** The mark of a value that does not exist. Never 0. */
export const dash = "-";

export interface ColumnOf<T> extends Column {
  cell(item: T): Cell;
}

/** Columns and rows of a table with a row an item. */
export const rowsOfItems = <T>(
  columns: readonly ColumnOf<T>[],
  items: readonly T[],
): Pick<Table, "columns" | "rows"> => ({
  columns: columns.map(({ cell: _, ...column }) => column),
  rows: items.map((item) => columns.map(({ cell }) => cell(item))),
});

/** Of a grouped column with its group in front. */
const keyOf = ({ key, title, group }: Column): string =>
  group === undefined ? (key ?? title) : `${group} ${key ?? title}`;

/** `accuracy [95 %]`, `LaMP-3 MAE`: of a column whose group has no line of its own. */
export const titleOf = ({ title, interval, group }: Column): string =>
  `${group === undefined ? "" : `${group} `}${title}${interval === true ? " [95 %]" : ""}`;

export const alignOf = ({ align, format }: Column): "left" | "right" =>
  align ?? (format === undefined ? "left" : "right");

export const estimateOf = (cell: Cell): Estimate =>
  typeof cell === "object" ? cell : { value: typeof cell === "number" ? cell : undefined };

/** A cell as people read it: `.513 [.412, .611]`, `1,024`, a dash for what does not exist. */
export function textOf(cell: Cell, column: Column): string {
  if (typeof cell === "string") return cell;
  const { format = String, interval: hasInterval } = column;
  const { value, interval, mark = "" } = estimateOf(cell);
  if (value === undefined || Number.isNaN(value)) return dash;
  const shown = `${format(value)}${mark}`;
  if (hasInterval !== true) return shown;
  return `${shown} [${interval === undefined ? dash : `${format(interval.low)}, ${format(interval.high)}`}]`;
}

export interface ColumnChoice {
  readonly wide?: boolean | undefined;
  /** Keys of columns, in their order, behind the columns that name a row. */
  readonly columns?: readonly string[] | undefined;
}

/** The table with the columns that were asked for. Throws UsageError on a key that none of the tables has. */
export function withColumns(tables: readonly Table[], { wide = false, columns: asked }: ColumnChoice): Table[] {
  const known = new Set(tables.flatMap(({ columns, keys = 1 }) => columns.slice(keys).map(keyOf)));
  for (const key of asked ?? [])
    if (!known.has(key)) throw new UsageError(`--columns ${key}: no such column${choices(key, [...known], "columns")}`);
  return tables.map((table) => {
    const { columns, rows, keys = 1, notes = [], details = [] } = table;
    const all = columns.map((column, at) => ({ ...column, at }));
    const chosen =
      asked === undefined
        ? all.filter(({ wide: isWide }) => isWide !== "data" && (wide || isWide !== true))
        : [...all.slice(0, keys), ...asked.flatMap((key) => all.filter((column) => keyOf(column) === key))];
    return {
      ...table,
      columns: chosen.map(({ at: _, ...column }) =>
        column.interval === "wide" && wide ? { ...column, interval: true } : column,
      ),
      rows: rows.map((row) => chosen.map(({ at }) => row[at])),
      notes: wide ? [...notes, ...details] : notes,
    };
  });
}

/** Tables that are printed one below another, each warning above the first that has it. */
export function warnedOnce(tables: readonly Table[]): Table[] {
  const said = new Set<string>();
  return tables.map((table) => {
    const fresh = (table.warnings ?? []).filter((line) => !said.has(line));
    for (const line of fresh) said.add(line);
    return { ...table, warnings: fresh };
  });
}

/** The legends of tables that are printed one below another, each sentence once. */
export const legendOf = (tables: readonly Table[]): string[] => [
  ...new Set(tables.flatMap(({ legend = [] }) => legend)),
];

/** A row as data: numbers unrounded; an interval has two names of its own, a mark none. */
export const recordsOf = ({ columns, rows }: Table): Record<string, string | number | undefined>[] =>
  rows.map((row) =>
    Object.fromEntries(
      columns.flatMap((column, c): [string, string | number | undefined][] => {
        const [key, cell] = [keyOf(column), row[c]];
        if (typeof cell === "string") return [[key, cell]];
        const { value, interval } = estimateOf(cell);
        if (column.interval !== true && column.interval !== "wide") return [[key, value]];
        return [
          [key, value],
          [`${key}_low`, interval?.low],
          [`${key}_high`, interval?.high],
        ];
      }),
    ),
  );
