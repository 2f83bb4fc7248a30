import * as z from "zod";
import type { OptionValue } from "../../types/index.js";

// The form of a paper's YAML file. A text between slashes, /gpt-4/i, is a pattern; any other is the value itself.

const text = z.string().refine((given) => compiled(given) !== null, "this pattern is no regular expression");
const option = z.union([text, z.number(), z.boolean()]);
const options = z.record(z.string(), option);
const texts = z.array(z.string());
/** Arms of this method, if one is named, with these options. */
const arm = z.strictObject({ method: z.string().optional(), options: options.optional() });
/** A model as printed, and its ids. */
const model = z.strictObject({ label: z.string(), ids: text });

/** Selects the own arms, and which of their questions, that a row or a column shows. */
const pick = {
  arm: arm.optional(),
  /** The model that answers, and the one that utilities are measured with. */
  model: model.optional(),
  reference: model.optional(),
  /** Only questions of a real data set, or made ones; that gain from the history, or do not. */
  data: z.strictObject({ real: z.boolean().optional(), personal: z.boolean().optional() }).optional(),
  /** The arm that a judge compared the answers with. */
  against: arm.optional(),
  /** Only verdicts on this turn of the dialogues, from 1. */
  turn: z.number().optional(),
  /** Counts questions that have all of these incidents. */
  incidents: texts.optional(),
  /** Utilities are means over the first so many users of a question. */
  profiles: z.number().optional(),
  /** A question counts as personal from this utility on. */
  threshold: z.number().optional(),
};

const column = z.strictObject({
  /** Default: the task of the table. */
  task: z.string().optional(),
  /** A metric of the task, `seconds` (median of a question), `judge` (mean score), or a key of selection-values.ts. */
  metric: z.string(),
  /** Default: the metric, and above it the task's title. */
  title: z.string().optional(),
  group: z.string().optional(),
  ...pick,
});

const row = z.strictObject({
  label: z.string(),
  group: z.string().optional(),
  ...pick,
  /** As printed, a blank between them, so that rounding can be undone; `-` where none is printed. */
  values: z.string().transform((given) => given.trim().split(/\s+/)),
  /** Reason why a value of this row is no target, by task. */
  suspect: z.record(z.string(), z.string()).optional(),
  /** Tasks whose values here are of another test set than the paper's others. */
  otherSet: texts.optional(),
});

/** A table, with what the `common` part of a file may say for all. */
export const tableSchema = z.strictObject({
  title: z.string(),
  source: z.string(),
  place: z.string(),
  /** The model behind the values; null where the source names none. */
  model: z.string().nullable().optional(),
  task: z.string().optional(),
  /** Its numbers are of chosen items, and need people's labels. */
  labelled: z.boolean().default(false),
  /** Caveats of the published values, and of own ones beside them. */
  caveats: texts.default([]),
  notes: texts.default([]),
  /** The command that makes a run to compare, and those on that run (`RUN`) before the table is printed. */
  make: z.string().default(""),
  after: texts.default([]),
  /** Differences of such a run from the paper. */
  partly: z.string().optional(),
  /** Reason why no run stands beside the values. */
  valuesOnly: z.string().optional(),
  /** The paper prints these rows as columns. */
  transposed: z.boolean().default(false),
  /** Titles over the names of rows. */
  heads: texts.optional(),
  columns: z.array(column).default([]),
  rows: z.array(row).default([]),
  /** Questions behind the values, by task: stated, or of another table. Default: derived from all printed values of the paper. */
  sizes: z
    .record(z.string(), z.strictObject({ n: z.number().int().positive(), from: z.string().optional() }))
    .default({}),
  /** Commands that show what a figure shows; RUN, QUESTION and USER stand for an own arm and its first answer. */
  views: texts.default([]),
  /** The chart of a run that draws it. */
  chart: z.string().optional(),
});

export const paperSchema = z.strictObject({
  title: z.string(),
  source: z.string(),
  /** YAML anchors; not read. */
  shared: z.unknown().optional(),
  common: z.record(z.string(), z.unknown()).default({}),
  tables: z.record(z.string(), z.record(z.string(), z.unknown())),
  /** Tables that no run here makes, and why. */
  absent: z.record(z.string(), z.string()).default({}),
  /** Where the paper contradicts itself, or its release. */
  contradictions: texts.default([]),
});

export type PaperColumn = z.infer<typeof column> & { readonly task: string };
export type PaperRow = z.infer<typeof row>;
export type ArmPick = z.infer<typeof arm>;
export type ArmFilter = { [K in keyof typeof pick]?: z.infer<(typeof pick)[K]> };

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
