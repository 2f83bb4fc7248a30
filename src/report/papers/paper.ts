import type * as z from "zod";
import { UsageError } from "../../errors.js";
import { tasks } from "../../tasks/index.js";
import { placedIssue } from "../../text/schema-issue.js";
import { fitsByChance, fittingSizes, type PrintedRow } from "./implied.js";
import { type PaperColumn, type PaperRow, paperSchema, tableSchema } from "./schema.js";

export interface PaperTable extends Omit<z.infer<typeof tableSchema>, "columns"> {
  /** Paper and table: `personaagent/T2`. */
  readonly name: string;
  readonly columns: readonly PaperColumn[];
  /** Questions behind the values of a task. */
  readonly sizeOf: (task: string) => TestSize;
}

export interface Paper extends Pick<z.infer<typeof paperSchema>, "title" | "absent" | "contradictions"> {
  readonly id: string;
  readonly tables: readonly PaperTable[];
}

export interface TestSize {
  /** Undefined where the printed values do not tell it. */
  readonly n: number | undefined;
  /** `derived`, `stated`, or `derived from` another table. */
  readonly origin: string;
  /** Sizes up to 500 of which all values print as whole numbers. */
  readonly fits: readonly number[];
  /** The smallest such size up to 999. */
  readonly smallest: number | undefined;
  /** Different printed values that these sizes fit. */
  readonly rows: number;
}

/** Reads a paper from the content of its file. Throws UsageError that names the table and what was expected there. */
export function paperOf(id: string, content: unknown): Paper {
  const { common, tables, source, ...paper } = checked(paperSchema, content, id);
  const sizes = new Map<string, TestSize>();
  const made: PaperTable[] = Object.entries(tables).map(([part, own]) => {
    const table = tableOf(`${id}/${part}`, { source, ...common, ...own });
    const sizeOf = (task: string): TestSize => {
      const { n, from } = table.sizes[task] ?? {};
      const origin = from === undefined ? "stated" : `derived from ${from}`;
      if (n !== undefined) return sizeFrom([table], task, { n, origin });
      const size = sizes.get(task) ?? sizeFrom(made, task);
      sizes.set(task, size);
      return size;
    };
    return { ...table, sizeOf };
  });
  return { ...paper, id, tables: made };
}

type ReadTable = Omit<PaperTable, "sizeOf">;

function tableOf(name: string, content: unknown): ReadTable {
  const { columns, ...table } = checked(tableSchema, content, name);
  const wrong = table.rows.find(({ values }) => values.length !== columns.length);
  if (wrong !== undefined)
    throw new UsageError(`${name}: row ${wrong.label}: ${wrong.values.length} values, ${columns.length} columns`);
  const placed = columns.map((one) => ({
    ...one,
    task: tasks.get(one.task ?? table.task ?? "", `${name}: task`).name,
  }));
  return { ...table, name, source: `${table.source}, ${table.place}`, columns: placed };
}

/** Derives the size of a task's test set from what tables print of it; a known size stays, with those that fit too. */
function sizeFrom(tables: readonly ReadTable[], task: string, known?: Pick<TestSize, "n" | "origin">): TestSize {
  const printed = tables.flatMap(({ columns, rows }) => rows.flatMap((row) => printedRow(columns, row, task) ?? []));
  const different = [...new Map(printed.map((one) => [JSON.stringify(one), one])).values()];
  const sizes = different.length === 0 ? [] : fittingSizes(different);
  const [smallest] = sizes;
  const n = smallest === undefined || fitsByChance(different, smallest) ? undefined : smallest;
  const fits = sizes.filter((size) => size <= 500);
  return { n, origin: "derived", ...known, fits, smallest, rows: different.length };
}

/** Returns a row's values of a task that whole numbers stand behind. */
function printedRow(columns: readonly PaperColumn[], row: PaperRow, task: string): PrintedRow | undefined {
  const printed = (metric: string): string | undefined => {
    const value = row.values[columns.findIndex((one) => one.task === task && one.metric === metric)];
    return value === "-" ? undefined : value;
  };
  const [accuracy, mae] = [printed("accuracy"), printed("mae")];
  if (row.otherSet?.includes(task)) return undefined;
  if (accuracy !== undefined) return { accuracy };
  return mae === undefined ? undefined : { mae, rmse: printed("rmse") };
}

function checked<T>(schema: z.ZodType<T>, content: unknown, where: string): T {
  const { data, error } = schema.safeParse(content);
  if (error !== undefined) throw new UsageError(`${where}: ${placedIssue(error)}`);
  return data;
}

export const tasksOf = ({ columns }: PaperTable): string[] => [...new Set(columns.map(({ task }) => task))];

/** Returns the columns of one task, with their values; the whole table where none is named. */
export function onlyTask(table: PaperTable, name: string | undefined): PaperTable {
  if (name === undefined) return table;
  const task = tasks.get(name, "--task").name;
  const known = tasksOf(table);
  if (!known.includes(task))
    throw new UsageError(`--task ${name}: no values of it in ${table.name}; its tasks: ${known.join(", ") || "none"}`);
  const isKept = (_: unknown, at: number) => table.columns[at]?.task === task;
  const rows = table.rows.map((row) => ({ ...row, values: row.values.filter(isKept) }));
  return { ...table, columns: table.columns.filter(isKept), rows };
}

/** Lists every table and figure of a paper: made, partly made, its values alone, or not and why. */
export function renderPaper({ id, title, tables, absent, contradictions }: Paper): string {
  const made = tables.map((table) => {
    const { name, partly, valuesOnly, after } = table;
    const state = valuesOnly === undefined ? (partly === undefined ? "made" : "partly") : "values";
    const more = after.length < 2 ? after : [`${after[0]} (and ${after.length - 1} more of its kind)`];
    const how = [recipeOf({ ...table, after: more }).join(", then "), ...[valuesOnly ?? partly ?? []].flat()];
    return [state, name, `${table.title}\n        ${how.join("; ")}`] as const;
  });
  const lines = [...made, ...Object.entries(absent).map(([part, why]) => ["not", `${id}/${part}`, why] as const)];
  const wide = Math.max(...lines.map(([, name]) => name.length));
  return [
    `${id}: ${title}`,
    ...lines.map(([state, name, what]) => `${state.padEnd(6)}  ${name.padEnd(wide)}  ${what}`),
    ...(contradictions.length === 0 ? [] : ["contradictions:", ...contradictions.map((text) => `- ${text}`)]),
  ].join("\n");
}

/** Returns the commands that print a table. */
export const recipeOf = ({ name, make, after, valuesOnly }: PaperTable): string[] =>
  valuesOnly === undefined
    ? [`${make} --out RUN`, ...after, `reproduce ${name} --run RUN`]
    : [`reproduce ${name} --published-only`];
