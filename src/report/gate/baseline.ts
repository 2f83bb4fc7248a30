import * as z from "zod";
import { UsageError } from "../../errors.js";
import { contentId } from "../../text/content-id.js";
import { placedIssue } from "../../text/schema-issue.js";
import type { Cell, Row } from "../../types/index.js";
import { armsOf, ofArm } from "../arms.js";
import { groupBy } from "../grouped.js";
import { drawnWhole, strictText } from "../pairs.js";

const questionSchema = z.object({
  id: z.string(),
  user: z.string(),
  /** Content id of the gold answer; absent where the data have none. The answer itself stays in the data. */
  gold: z.string().optional(),
  /** What the official metrics see, one per repeat that did not fail. An unreadable reply is the empty text. */
  replies: z.array(z.string()),
  /** Of which repeats, from 0, where some failed. */
  at: z.array(z.number()).optional(),
  failed: z.number(),
});

const armSchema = z.object({
  task: z.string(),
  dataset: z.string(),
  method: z.string(),
  model: z.string(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  seed: z.number(),
  repeats: z.number(),
  data: z.object({
    files: z.array(z.object({ name: z.string(), sha256: z.string() })),
    /** Content id of the visible pasts and questions, and of the task's wording. */
    units: z.string(),
    wording: z.string(),
  }),
  /** Content ids over all requests, one per repeat: equal ones asked the same. Empty where unknown. */
  requests: z.array(z.string()),
  /** Margins planned when the baseline was written, by metric and claim. Absent: a run folder, or nothing to plan from. */
  margins: z.record(z.string(), z.object({ set: z.number(), users: z.number() })).optional(),
  questions: z.array(questionSchema),
});

const baselineSchema = z.object({
  format: z.literal("lamp-eval-baseline"),
  version: z.literal(2),
  simulated: z.boolean(),
  madeBy: z.string(),
  /** What the margins were planned for: the risk, and the share of answers drawn anew where there was one repeat. */
  planned: z.object({ alpha: z.number(), noise: z.number() }).optional(),
  arms: z.array(armSchema).min(1),
});

/** What a gate measures a run against: small enough to commit, and without gold answers. */
export type Baseline = z.infer<typeof baselineSchema>;
/** One method on one task, all repeats together. */
export type BaselineArm = Baseline["arms"][number];

/** The parts of a run folder that a baseline is made from. */
export interface GatedRun {
  readonly simulated: boolean;
  readonly version: string;
  readonly cells: readonly Cell[];
  readonly data: readonly (BaselineArm["data"] & { readonly task: string })[];
  /** By cell id. */
  readonly requests: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

/** Equal runs give equal baselines. Throws UsageError for a run without rows. */
export function baselineOf(run: GatedRun): Baseline {
  if (run.rows.length === 0) throw new UsageError("the run has no rows yet: no baseline can be made of it");
  const ids = new Map<string, string>();
  const idOf = (gold: string): string => {
    const id = ids.get(gold) ?? contentId(gold);
    ids.set(gold, id);
    return id;
  };
  const arms = armsOf(run.cells).map((cells) => armOf(cells, run, idOf));
  return { format: "lamp-eval-baseline", version: 2, simulated: run.simulated, madeBy: run.version, arms };
}

/** One question a line, so that a changed baseline reads well as a diff. */
export function renderBaseline({ arms, ...head }: Baseline): string {
  const lines = arms.map(({ questions, ...arm }) => {
    const asked = questions.map((question) => JSON.stringify(question)).join(",\n");
    return `${JSON.stringify(arm).slice(0, -1)},"questions":[\n${asked}\n]}`;
  });
  return `${JSON.stringify(head).slice(0, -1)},"arms":[\n${lines.join(",\n")}\n]}\n`;
}

/** Throws UsageError naming `where` on anything that is no baseline of this version. */
export function readBaseline(value: unknown, where: string): Baseline {
  const result = baselineSchema.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(
    `${where}: no baseline of this version (${placedIssue(result.error)}); write one with lamp-eval gate <run> --write-baseline FILE`,
  );
}

/** `idOf`: the content id of a gold answer, which all arms share. */
function armOf(cells: readonly Cell[], run: GatedRun, idOf: (gold: string) => string): BaselineArm {
  const { id: _, repeat: __, ...facts } = cells[0]!; // groups are never empty
  const data = run.data.find(({ task }) => task === facts.task);
  if (data === undefined) throw new UsageError(`the run's manifest says nothing of the data of ${facts.task}`);
  const { files, units, wording } = data;
  return {
    ...facts,
    options: { ...facts.options },
    repeats: cells.length,
    data: { files: files.map(({ name, sha256 }) => ({ name, sha256 })), units, wording },
    requests: cells.flatMap(({ id }) => run.requests[id] ?? []),
    questions: questionsOf(
      ofArm(run.rows, cells),
      cells.map(({ id }) => id),
      idOf,
    ),
  };
}

function questionsOf(
  rows: readonly Row[],
  cells: readonly string[],
  idOf: (gold: string) => string,
): BaselineArm["questions"] {
  return [...groupBy(rows, ({ question }) => question)].map(([id, ofQuestion]) => {
    const { gold } = ofQuestion[0]!; // groups are never empty
    const user = drawnWhole(ofQuestion[0]!);
    const replied = ofQuestion.filter(({ outcome }) => outcome.kind !== "failed");
    return {
      id,
      user,
      ...(gold === undefined ? {} : { gold: idOf(gold) }),
      replies: replied.map(strictText),
      ...(replied.length === 0 || replied.length === ofQuestion.length
        ? {}
        : { at: replied.map(({ cell }) => cells.indexOf(cell)) }),
      failed: ofQuestion.length - replied.length,
    };
  });
}
