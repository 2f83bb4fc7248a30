import * as z from "zod";
import { UsageError } from "../../errors.js";
import { tasks } from "../../tasks/index.js";
import { placedIssue } from "../../text/schema-issue.js";
import type { OptionValue } from "../../types/index.js";
import { fitsByChance, fittingSizes, type PrintedRow } from "./implied.js";

// The form of a paper's YAML file. A text between slashes, /gpt-4/i, is a pattern; any other is the value itself.

const text = z.string().refine((given) => compiled(given) !== null, "this pattern is no regular expression");
const option = z.union([text, z.number(), z.boolean()]);
const texts = z.array(z.string());
/** Arms of this method, if one is named, with these options. */
const arm = z.strictObject({ method: z.string().optional(), options: z.record(z.string(), option).optional() });
const model = z.strictObject({
  /** As printed. */
  label: z.string(),
  /** Ids of this model. */
  ids: text,
});
/** Selects the own arms, and which of their questions, that a row or a column shows. */
const pick = {
  arm: arm.optional(),
  /** The model that answers. */
  model: model.optional(),
  /** The model that utilities are measured with. */
  reference: model.optional(),
  /** Only questions of a real data set, or made ones; that gain from the history, or do not. */
  data: z.strictObject({ real: z.boolean().optional(), personal: z.boolean().optional() }).optional(),
  /** The arm that a judge compared the answers with. */
  against: arm.optional(),
  /** Only verdicts on this turn of the dialogues, from 1. */
  turn: z.number().optional(),
  /** Questions that have all of these incidents are counted. */
  incidents: texts.optional(),
  /** Utilities are means over the first so many users of a question. */
  profiles: z.number().optional(),
  /** A question counts as personal from this utility on. */
  threshold: z.number().optional(),
};
const column = z.strictObject({
  /** Default: the task of the table. */
  task: z.string().optional(),
  /** A metric of the task, `seconds` (median of a question), `judge` (mean score), or a number of selections (selection-values.ts). */
  metric: z.string(),
  /** Default: the metric. */
  title: z.string().optional(),
  /** The heading over it. Default: the task's title. */
  group: z.string().optional(),
  ...pick,
});
const row = z.strictObject({
  label: z.string(),
  /** Printed in front of the label. */
  group: z.string().optional(),
  ...pick,
  /** The choice of the people who labelled the questions: no arm. */
  people: z.boolean().optional(),
  /** As printed, a blank between them, so that rounding can be undone; `-` where none is printed. */
  values: z.string().transform((given) => given.trim().split(/\s+/)),
  /** Why a value of this row is no target, by task. */
  suspect: z.record(z.string(), z.string()).optional(),
  /** Tasks whose values here are of another test set than the paper's others. */
  otherSet: texts.optional(),
});
/** Arms of these methods, with these models and options; of any where none is named. */
const side = z.strictObject({
  methods: texts.optional(),
  models: z.array(model).optional(),
  options: z.record(z.string(), option).optional(),
});
/** A sentence that own runs support or not: arms are better than others by every column. */
const claim = z.strictObject({
  text: z.string(),
  /** Where the paper says it. */
  source: z.string(),
  /** Default: all of the table. */
  metrics: texts.optional(),
  better: side.default({}),
  /** Of these the best must be beaten, or `each`; with one model, or `across` models. */
  than: side.default({}),
  each: z.boolean().default(false),
  across: z.boolean().default(false),
});
/** What `common` may say for all tables. */
const common = {
  /** What stands in front of the place. Default: the paper's `source`. */
  source: z.string().optional(),
  /** The model behind the values; null where the source names none. */
  model: z.string().nullable().optional(),
  task: z.string().optional(),
  /** Settings that the paper states: arms with others are named. */
  settings: z.record(z.string(), option).default({}),
  /** The shipped config that sets what the paper leaves open (`--preset`). */
  preset: z.string().optional(),
  /** Its numbers are of chosen items, and need people's labels (`--labels`). */
  labelled: z.boolean().default(false),
  /** What to know of the published values, and of own ones beside them. */
  caveats: texts.default([]),
  notes: texts.default([]),
};
const table = z.strictObject({
  title: z.string(),
  /** Where it stands in the paper. */
  place: z.string(),
  /** The command that makes a run to compare, and those on that run (`RUN`) before the table is printed. */
  make: z.string().default(""),
  after: texts.default([]),
  /** What such a run does not do as the paper did. */
  partly: z.string().optional(),
  /** Why no run stands beside the values. */
  valuesOnly: z.string().optional(),
  /** Printed with a column a row of these. */
  transposed: z.boolean().default(false),
  /** Titles over the names of rows. */
  heads: texts.optional(),
  columns: z.array(column).default([]),
  rows: z.array(row).default([]),
  /** Questions behind the values, by task: stated, or of another table. Default: derived from all printed values of the paper. */
  sizes: z
    .record(z.string(), z.strictObject({ n: z.number().int().positive(), from: z.string().optional() }))
    .default({}),
  claims: z.array(claim).default([]),
  /** Commands that show what a figure shows; RUN, QUESTION and USER stand for those of an own arm. */
  views: texts.default([]),
  /** QUESTION is the first that an arm answers right and, if named, another one wrong; else the first that is answered. */
  case: z.strictObject({ right: arm, wrong: arm.optional() }).optional(),
  /** The chart of a run that draws it. */
  chart: z.string().optional(),
  ...common,
});
const paperSchema = z.strictObject({
  title: z.string(),
  source: z.string(),
  /** Pieces for `*name`. */
  shared: z.unknown().optional(),
  common: z.record(z.string(), z.unknown()).default({}),
  tables: z.record(z.string(), z.record(z.string(), z.unknown())),
  /** What no run here makes, and why. */
  absent: z.record(z.string(), z.string()).default({}),
  /** Where the paper contradicts itself, or its release. */
  contradictions: texts.default([]),
});

export type PaperColumn = z.infer<typeof column> & { readonly task: string };
export type PaperRow = z.infer<typeof row>;
export type ArmPick = z.infer<typeof arm>;
export type Claim = z.infer<typeof claim>;
export type CellPick = { [K in keyof typeof pick]?: z.infer<(typeof pick)[K]> };
export type PaperTable = Omit<z.infer<typeof table>, "columns"> & {
  /** Paper and table: `personaagent/T2`. */
  readonly name: string;
  readonly source: string;
  readonly columns: readonly PaperColumn[];
  /** Questions behind the values of a task. */
  readonly sizeOf: (task: string) => TestSize;
  /** What the preset sets for a task. */
  readonly presetOf?: (task: string) => Readonly<Record<string, OptionValue>>;
};
export interface Paper extends Omit<z.infer<typeof paperSchema>, "shared" | "common" | "tables"> {
  readonly id: string;
  readonly tables: readonly PaperTable[];
}

export interface TestSize {
  /** Undefined where the printed values do not tell it. */
  readonly n: number | undefined;
  readonly origin: "stated" | "given" | "derived" | { readonly table: string };
  /** Sizes up to 500 of which all values print as whole numbers, and the smallest of all up to 999. */
  readonly fits: readonly number[];
  readonly smallest: number | undefined;
  /** Rows that the fitting sizes are of. */
  readonly rows: number;
}

/** Reads a paper from the content of its file. Throws UsageError that names the table and what was expected there. */
export function paperOf(id: string, content: unknown): Paper {
  const { shared: _, common: ofAll, tables, ...paper } = checked(paperSchema, content, id);
  const found = new Map<string, TestSize>();
  const made: PaperTable[] = Object.entries(tables).map(([part, own]) => {
    const one = tableOf(`${id}/${part}`, { source: paper.source, ...ofAll, ...own });
    const sizeOf = (task: string): TestSize => {
      const { n, from } = one.sizes[task] ?? {};
      if (n !== undefined) return sizeFrom([one], task, { n, origin: from === undefined ? "stated" : { table: from } });
      const size = found.get(task) ?? sizeFrom(made, task);
      found.set(task, size);
      return size;
    };
    return { ...one, sizeOf };
  });
  return { ...paper, id, tables: made };
}

type ReadTable = Omit<PaperTable, "sizeOf">;

function tableOf(name: string, content: unknown): ReadTable {
  const { columns, ...found } = checked(table, content, name);
  const wrong = found.rows.find(({ values }) => values.length !== columns.length);
  if (wrong !== undefined)
    throw new UsageError(`${name}: row ${wrong.label}: ${wrong.values.length} values, ${columns.length} columns`);
  const placed = columns.map((one) => ({
    ...one,
    task: tasks.get(one.task ?? found.task ?? "", `${name}: task`).name,
  }));
  return { ...found, name, source: `${found.source}, ${found.place}`, columns: placed };
}

/** Derives the size of a task's test set from what tables print of it; a known size only says which others fit too. */
function sizeFrom(tables: readonly ReadTable[], task: string, known?: Pick<TestSize, "n" | "origin">): TestSize {
  const rows = tables.flatMap((one) => one.rows.flatMap((row) => printedRow(one, row, task) ?? []));
  const different = [...new Map(rows.map((one) => [JSON.stringify(one), one])).values()];
  const fits = different.length === 0 ? [] : fittingSizes(different);
  const [smallest] = fits;
  const n = smallest === undefined || fitsByChance(different, smallest) ? undefined : smallest;
  const few = fits.filter((size) => size <= 500);
  return { n, origin: "derived", ...known, fits: few, smallest, rows: different.length };
}

/** What a row prints of a task that whole numbers stand behind. */
function printedRow({ columns }: Pick<PaperTable, "columns">, row: PaperRow, task: string): PrintedRow | undefined {
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

/** Returns whether a value is the wanted one, or fits the wanted pattern. */
export function matches(wanted: OptionValue, value: unknown): boolean {
  const pattern = compiled(wanted);
  return pattern instanceof RegExp ? pattern.test(String(value)) : wanted === value;
}

/** The pattern of `/gpt-4/i`; undefined of any other value, null where it is no regular expression. */
function compiled(given: OptionValue): RegExp | undefined | null {
  const [, pattern, flags] = /^\/(.+)\/(i?)$/.exec(String(given)) ?? [];
  if (pattern === undefined) return undefined;
  try {
    return new RegExp(pattern, flags);
  } catch {
    return null;
  }
}

/** Returns the columns of one task, with their values; the whole table where none is named. */
export function onlyTask(table: PaperTable, name: string | undefined): PaperTable {
  if (name === undefined) return table;
  const task = tasks.get(name, "--task").name;
  const known = [...new Set(table.columns.map((column) => column.task))];
  if (!known.includes(task))
    throw new UsageError(`--task ${name}: no values of it in ${table.name}; its tasks: ${known.join(", ") || "none"}`);
  const isKept = (_: unknown, at: number) => table.columns[at]?.task === task;
  const rows = table.rows.map((row) => ({ ...row, values: row.values.filter(isKept) }));
  return { ...table, columns: table.columns.filter(isKept), rows };
}

/** Lists every table and figure of a paper: made, partly made, its values alone, or not and why. */
export function renderPaper({ id, title, tables, absent, contradictions }: Paper): string {
  const made = tables.map((table) => {
    const { name, partly, valuesOnly } = table;
    const state = valuesOnly === undefined ? (partly === undefined ? "made" : "partly") : "values";
    const [first, ...more] = table.after;
    const kinds =
      first === undefined ? [] : [more.length === 0 ? first : `${first} (and ${more.length} more of its kind)`];
    const how = [recipeOf({ ...table, after: kinds }).join(", then "), valuesOnly ?? partly ?? []].flat().join("; ");
    return [state, name, `${table.title}\n        ${how}`] as const;
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
  valuesOnly !== undefined
    ? [`reproduce ${name} --published-only`]
    : [`${make} --out RUN`, ...after, `reproduce ${name} --run RUN`];
