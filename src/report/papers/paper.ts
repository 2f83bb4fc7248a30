import * as z from "zod";
import { UsageError } from "../../errors.js";
import { tasks } from "../../tasks/index.js";
import { placedIssue } from "../../text/schema-issue.js";
import type { OptionValue } from "../../types/index.js";

// The form of a paper's YAML file. A text between slashes, /gpt-4/i, is a pattern; any other is the value itself.

const text = z.string().refine((given) => compiled(given) !== null, "this pattern is no regular expression");
const option = z.union([text, z.number(), z.boolean()]);
const texts = z.array(z.string());
const model = z.strictObject({
  /** As printed. */
  label: z.string(),
  /** Ids of this model. */
  ids: text,
  /** One of them, for a reader who wants to run it. */
  example: z.string().optional(),
});
/** Selects the own arms, and which of their questions, that a row or a column shows. */
const pick = {
  /** Arms of this method, if one is named, with these options. */
  arm: z.strictObject({ method: z.string().optional(), options: z.record(z.string(), option).optional() }).optional(),
  /** The model that answers. */
  model: model.optional(),
  /** The model that utilities are measured with. */
  reference: model.optional(),
  /** Only questions of a real data set, or made ones; that gain from the history, or do not. */
  data: z.strictObject({ real: z.boolean().optional(), personal: z.boolean().optional() }).optional(),
  /** What a judge compared the answers with, as `judge --against` names it. */
  against: text.optional(),
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
  /** Tasks whose values here do not fit the table's size: another test set. */
  otherSet: texts.optional(),
});
/** Arms of these methods, with these models; of any where none is named. */
const side = z.strictObject({ methods: texts.optional(), models: z.array(model).optional() });
/** A sentence that own runs support or not. */
const claim = z.strictObject({
  text: z.string(),
  /** Where the paper says it. */
  source: z.string(),
  /** Default: all of the table. */
  metrics: texts.optional(),
  /** Arms that are better than others by every column: than the best of them, or than `each`; `across` models, or with one. */
  better: side.default({}),
  than: side.default({}),
  each: z.boolean().default(false),
  across: z.boolean().default(false),
  /** Larger values of an option are better, up to one of them; or nothing is gained beyond one. */
  option: z.string().optional(),
  upTo: z.number().default(Number.POSITIVE_INFINITY),
  beyond: z.number().optional(),
  /** Most questions have all of these incidents; and what such questions are called. */
  incidents: texts.optional(),
  says: z.string().default("questions"),
  /** Learned personas all differ, or most pairs of them are unlike. */
  personas: z.enum(["distinct", "unlike"]).optional(),
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
  /** Options that the table varies. */
  varied: texts.default([]),
  /** Its numbers are of chosen items, and need people's labels (`--labels`). */
  labelled: z.boolean().default(false),
  /** What to know of the published values, and why an own run differs from them. */
  caveats: texts.default([]),
  notes: texts.default([]),
};
const table = z.strictObject({
  title: z.string(),
  /** Where it stands in the paper. */
  place: z.string(),
  /** The command that makes a run to compare, and those on that run (`RUN`) before the table is printed. */
  make: z.string(),
  after: texts.default([]),
  /** What such a run does not do as the paper did. */
  partly: z.string().optional(),
  /** Printed with a column a row of these. */
  transposed: z.boolean().default(false),
  /** Titles over the names of rows. */
  heads: texts.optional(),
  columns: z.array(column).default([]),
  rows: z.array(row).default([]),
  /** Questions behind the values, by task: stated, or derived, with others up to 500 that fit, what else speaks for it, its table. */
  sizes: z
    .record(
      z.string(),
      z.strictObject({
        n: z.number().int().positive(),
        stated: z.boolean().default(false),
        alsoFits: z.array(z.number()).default([]),
        support: z.string().optional(),
        from: z.string().optional(),
      }),
    )
    .default({}),
  claims: z.array(claim).default([]),
  /** What to know of the embedded model's numbers. */
  simulated: z.string().optional(),
  /** Commands that show what a figure shows; RUN, QUESTION and USER stand for those of an own arm. */
  views: texts.default([]),
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
export type Claim = z.infer<typeof claim>;
export type CellPick = { [K in keyof typeof pick]?: z.infer<(typeof pick)[K]> };
export type PaperTable = Omit<z.infer<typeof table>, "columns"> & {
  /** Paper and table: `personaagent/T2`. */
  readonly name: string;
  readonly source: string;
  readonly columns: readonly PaperColumn[];
  /** What the preset sets for a task. */
  readonly presetOf?: (task: string) => Readonly<Record<string, OptionValue>>;
};
export interface Paper extends Omit<z.infer<typeof paperSchema>, "shared" | "common" | "tables"> {
  readonly id: string;
  readonly tables: readonly PaperTable[];
}

/** Reads a paper from the content of its file. Throws UsageError that names the table and what was expected there. */
export function paperOf(id: string, content: unknown): Paper {
  const { shared: _, common: ofAll, tables, ...paper } = checked(paperSchema, content, id);
  const made = Object.entries(tables).map(([part, own]) =>
    tableOf(`${id}/${part}`, { source: paper.source, ...ofAll, ...own }),
  );
  return { ...paper, id, tables: made };
}

function tableOf(name: string, content: unknown): PaperTable {
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

function checked<T>(schema: z.ZodType<T>, content: unknown, where: string): T {
  const { data, error } = schema.safeParse(content);
  if (error !== undefined) throw new UsageError(`${where}: ${placedIssue(error)}`);
  return data;
}

/** Whether a value is the wanted one, or fits the wanted pattern. */
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

/** A printed value as a number; undefined for the dash. */
export const printedNumber = (printed: string): number | undefined =>
  printed === "-" ? undefined : Number(printed.replace(/%$/, "")) / (printed.endsWith("%") ? 100 : 1);
