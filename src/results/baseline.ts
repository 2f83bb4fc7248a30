import * as z from "zod";
import { UsageError } from "../errors.js";
import { contentId } from "../text/content-id.js";
import { placedIssue } from "../text/schema-issue.js";
import type { ArmSpec, Metric, Row } from "../types/index.js";
import { isScored, meanOfRepeats, pairOf, pairsByRepeat } from "./answers.js";
import { groupBy } from "./samples.js";

/** What a metric adds up for one reply: a number, or the content id of several. In the order of the arm's metrics. */
const termsSchema = z.array(z.union([z.number(), z.string()]));

const questionSchema = z.object({
  id: z.string(),
  user: z.string(),
  /** What takes the user's place in bound and p, where the data name one. */
  cluster: z.string().optional(),
  /** Content id of the reply of each repeat; null where it failed. */
  replies: z.array(z.string().nullable()),
  /** Null where it failed and where the data have no gold answer. */
  terms: z.array(termsSchema.nullable()),
});

const armSchema = z.object({
  task: z.string(),
  dataset: z.string(),
  method: z.string(),
  model: z.string(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  seed: z.number(),
  data: z.object({
    files: z.array(z.object({ name: z.string(), sha256: z.string() })),
    /** Content ids of the visible histories and questions, and of the task's wording. */
    units: z.string(),
    wording: z.string(),
  }),
  /** The scores, unrounded; null where nothing was scored. The first metric is the primary one. */
  metrics: z.array(z.object({ name: z.string(), score: z.number().nullable() })).min(1),
  failed: z.number(),
  unparsed: z.number(),
  questions: z.array(questionSchema),
});

const baselineSchema = z.object({
  format: z.literal("lamp-eval-baseline"),
  version: z.literal(4),
  simulated: z.boolean(),
  madeBy: z.string(),
  arms: z.array(armSchema).min(1),
});

/** What a gate compares a run with: small enough to commit, without gold answers and replies. */
export type Baseline = z.infer<typeof baselineSchema>;
export type BaselineArm = Baseline["arms"][number];
export type BaselineQuestion = BaselineArm["questions"][number];

/** The parts of a run that a baseline is made from; `arms`: the arms of each, one a repeat. */
export interface GatedRun {
  readonly simulated: boolean;
  readonly version: string;
  readonly arms: readonly (readonly ArmSpec[])[];
  readonly data: readonly (BaselineArm["data"] & { readonly task: string })[];
  readonly rows: readonly Row[];
  readonly metricsOf: (task: string) => readonly Metric[];
}

/** Makes a baseline of a run: equal runs give equal ones. Throws UsageError for a run without rows. */
export function baselineOf(run: GatedRun): Baseline {
  const { rows, simulated, version, arms } = run;
  if (rows.length === 0) throw new UsageError("the run has no rows yet: no baseline can be made of it");
  const byArm = groupBy(rows, ({ arm }) => arm);
  const armOf = (specs: readonly ArmSpec[]): BaselineArm => {
    const { id: _, repeat: __, ...facts } = specs[0]!; // no arm is empty
    const data = run.data.find(({ task }) => task === facts.task);
    if (data === undefined) throw new UsageError(`the run's plan does not name the data of ${facts.task}`);
    const { files, units, wording } = data;
    const ids = specs.map(({ id }) => id);
    const own = ids.flatMap((id) => byArm.get(id) ?? []);
    const metrics = run.metricsOf(facts.task);
    const pairs = pairsByRepeat(own.filter(isScored), ids);
    const count = (kind: Row["outcome"]["kind"]): number => own.filter(({ outcome }) => outcome.kind === kind).length;
    return {
      ...facts,
      options: { ...facts.options },
      data: { files: files.map(({ name, sha256 }) => ({ name, sha256 })), units, wording },
      metrics: metrics.map((metric) => ({ name: metric.name, score: meanOfRepeats(metric, pairs) ?? null })),
      failed: count("failed"),
      unparsed: count("unparsed"),
      questions: [...groupBy(own, ({ question }) => question)].map(([id, of]) => questionOf(id, ids, of, metrics)),
    };
  };
  return { format: "lamp-eval-baseline", version: 4, simulated, madeBy: version, arms: arms.map(armOf) };
}

function questionOf(
  id: string,
  arms: readonly string[],
  rows: readonly Row[],
  metrics: readonly Metric[],
): BaselineQuestion {
  const ofRepeats = arms.map((arm) => rows.find((row) => row.arm === arm));
  const { user, cluster } = rows[0]!; // groups are never empty
  return {
    ...{ id, user, ...(cluster === undefined ? {} : { cluster }) },
    replies: ofRepeats.map((row) =>
      row === undefined || row.outcome.kind === "failed" ? null : contentId(row.outcome.reply),
    ),
    terms: ofRepeats.map((row) =>
      row === undefined || !isScored(row) ? null : metrics.map((metric) => termsOf(metric, pairOf(row))),
    ),
  };
}

function termsOf(metric: Metric, pair: Parameters<Metric["add"]>[0]): number | string {
  const sums = new Float64Array(metric.sumCount);
  metric.add(pair, sums);
  const digits = Array.from(sums, (sum) => Number(sum.toPrecision(DIGITS)));
  return metric.sumCount === 1 ? digits[0]! : contentId(digits);
}

/** Machines may differ in the last digits of a double. */
const DIGITS = 12;

/** Writes one question a line, so that a changed baseline reads well as a diff. */
export function renderBaseline({ arms, ...head }: Baseline): string {
  const lines = arms.map(({ questions, ...arm }) => {
    const asked = questions.map((question) => JSON.stringify(question)).join(",\n");
    return `${JSON.stringify(arm).slice(0, -1)},"questions":[\n${asked}\n]}`;
  });
  return `${JSON.stringify(head).slice(0, -1)},"arms":[\n${lines.join(",\n")}\n]}\n`;
}

/** Reads a baseline. Throws UsageError naming `where` on a text that is none of this version. */
export function readBaseline(text: string, where: string): Baseline {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where}: no JSON, or cut off (${error instanceof Error ? error.message : ""})`);
  }
  const result = baselineSchema.safeParse(json);
  if (result.success) return result.data;
  const why = placedIssue(result.error);
  throw new UsageError(
    `${where}: no baseline of this version (${why}); write one: lamp-eval gate RUN --write-baseline FILE`,
  );
}
