import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../errors.js";
import type { Interval } from "../../statistics/interval.js";
import { tasks } from "../../tasks/index.js";
import type { Cell } from "../../types.js";
import { armLabel, settingsApart } from "../arms.js";
import { isScored } from "../pairs.js";
import { labelVariance } from "../score-interval.js";
import { hasOwnPast } from "../tables/remarks.js";
import { differenceOf, type Estimate, roundingOf, theirEstimate } from "./differs.js";
import { failedParts } from "./failed-parts.js";
import { otherPasts } from "./other-pasts.js";
import {
  type Claim,
  type Finding,
  type OwnArm,
  type PaperRow,
  type PaperTable,
  printedNumber,
} from "./paper-tables.js";
import { remarksOn } from "./remarks.js";

/** Own runs beside a published table. */
export interface Reproduced {
  readonly table: PaperTable;
  readonly arms: readonly OwnArm[];
  readonly lines: readonly ReproducedLine[];
  readonly claims: readonly CheckedClaim[];
  /** Why the numbers of these runs and the paper's may differ: model, settings, unfinished runs, ... */
  readonly remarks: readonly string[];
}

/** One published value and what stands beside it. */
export interface ReproducedLine {
  readonly task: string;
  readonly title: string;
  readonly metric: string;
  readonly better: "higher" | "lower";
  /** The paper's label. */
  readonly method: string;
  /** Which own arm; undefined where the runs have none. */
  readonly arm: string | undefined;
  readonly printed: string;
  readonly theirs: number | undefined;
  readonly ours: number | undefined;
  /** Ours minus theirs. */
  readonly delta: number | undefined;
  /** Of ours: 95 %, for users drawn like these; undefined below 10 users, and for seconds. */
  readonly interval: Interval | undefined;
  /** 95 % interval of ours minus theirs, both errors and the rounding in it; undefined where theirs is not derivable. */
  readonly difference: Interval | undefined;
  /** Whether 0 lies outside of it. That they agree is never shown: the interval says how far apart they may be. */
  readonly differs: boolean | undefined;
  /** Scored questions, over all repeats. */
  readonly scored: number | undefined;
  /** Questions with gold, of one repeat: the size of the test set. */
  readonly count: number | undefined;
  /** Derived for the paper. */
  readonly paperCount: number | undefined;
  readonly failed: number;
  /** Why the published value is no target. */
  readonly suspect: string | undefined;
}

export interface CheckedClaim {
  readonly text: string;
  readonly source: string;
  readonly needs: string;
  /** Undefined: the runs lack what the claim needs, or it is withheld. */
  readonly finding: Finding | undefined;
  /** Why it is not judged though the runs have what it needs: a method that it rests on mostly failed. Absent: nothing did. */
  readonly withheld?: readonly string[];
}

/**
 * Puts own arms beside a published table; those that were not given the users' own pasts are left out. Throws UsageError on arms of the embedded model, whose numbers mean nothing
 * beside a paper's, and where no arm belongs to the table.
 */
export function besidePaper(table: PaperTable, given: readonly OwnArm[]): Reproduced {
  refuseSimulated(table, given);
  const wanted = tasksOf(table);
  const ofTasks = given.filter(({ cell }) => wanted.includes(cell.task));
  const arms = ofTasks.filter(({ cell }) => hasOwnPast(cell));
  const leftOut = otherPasts(ofTasks.filter(({ cell }) => !hasOwnPast(cell)));
  if (arms.length === 0 && leftOut.length > 0)
    throw new UsageError(
      `${leftOut.join("; ")}: nothing here stands beside ${table.name}; make a run with the right past`,
    );
  const lines = table.columns.flatMap((column, c) => table.rows.flatMap((row) => linesOf(table, row, column, c, arms)));
  const claims = table.claims.map((claim) => checked(claim, arms));
  refuseUnrelated(table, given, arms, lines);
  return {
    table,
    arms,
    lines,
    claims,
    remarks: [...leftOut.map((why) => `left out: ${why}`), ...remarksOn(table, arms, lines)],
  };
}

/** `persona-agent (align.batchSize=5), openai/gpt`: short as far as the arms of that method allow. */
function ownLabel(arm: OwnArm, arms: readonly OwnArm[]): string {
  const peers = arms.filter(({ cell }) => cell.method === arm.cell.method && cell.task === arm.cell.task);
  const differs = (of: (peer: OwnArm) => unknown) => peers.some((peer) => of(peer) !== of(arm));
  const variant = settingsApart(
    arm.cell.options,
    peers.map(({ cell }) => cell.options),
  );
  return [
    armLabel({ method: arm.cell.method, variant, unaligned: arm.summary.unaligned }),
    ...(differs(({ cell }) => cell.model) ? [arm.cell.model] : []),
    ...(variant === "" && differs(({ run }) => run) ? [arm.run] : []),
  ].join(", ");
}

/** No claim is judged by what a method did that mostly failed: one that comes out the same without such arms does not rest on them. */
function checked({ text, source, needs, check }: Claim, arms: readonly OwnArm[]): CheckedClaim {
  const broken = arms.filter((arm) => failedParts(arm).some(({ mostly }) => mostly));
  const stated = { text, source, needs };
  const finding = check(arms);
  if (finding === undefined || broken.length === 0) return { ...stated, finding };
  const sound = check(arms.filter((arm) => !broken.includes(arm)));
  if (isDeepStrictEqual(finding, sound)) return { ...stated, finding };
  const withheld = broken.flatMap((arm) => failedParts(arm).flatMap(({ text: why, mostly }) => (mostly ? [why] : [])));
  return { ...stated, finding: undefined, withheld };
}

type Column = PaperTable["columns"][number];

function linesOf(
  table: PaperTable,
  row: PaperRow,
  column: Column,
  at: number,
  arms: readonly OwnArm[],
): ReproducedLine[] {
  const printed = row.printed[at]!; // rows are as wide as the columns
  const fitting = arms.filter(({ cell }) => cell.task === column.task && fits(row, cell));
  return fitting.length === 0
    ? [lineOf(table, row, column, printed, undefined, arms)]
    : fitting.map((arm) => lineOf(table, row, column, printed, arm, arms));
}

function lineOf(
  table: PaperTable,
  row: PaperRow,
  { task, metric }: Column,
  printed: string,
  arm: OwnArm | undefined,
  arms: readonly OwnArm[],
): ReproducedLine {
  const theirs = printedNumber(printed);
  const found = arm?.summary.metrics.find(({ name }) => name === metric);
  const judged = metric === "judge" ? arm?.judged : undefined;
  const ours = metric === "seconds" ? arm?.summary.secondsPerQuery : (judged?.mean ?? found?.strict);
  const interval = judged === undefined ? found?.interval : judged.interval;
  const both = ours !== undefined && theirs !== undefined;
  const paperCount = row.otherSet?.includes(task) === true ? undefined : table.samples[task];
  const difference =
    ours === undefined || interval === undefined || paperCount === undefined
      ? undefined
      : withRounding(
          { value: ours, ...interval },
          theirEstimate(
            metric,
            { values: printedOf(table, row, task), count: paperCount },
            arm === undefined ? undefined : ownVariance(arm, metric),
          ),
          printed,
        );
  return {
    task,
    title: tasks.get(task).title,
    metric,
    better:
      tasks.get(task).metrics.find(({ name }) => name === metric)?.better ?? (metric === "judge" ? "higher" : "lower"),
    method: row.method,
    arm: arm === undefined ? undefined : ownLabel(arm, arms),
    printed,
    theirs,
    ours,
    delta: both ? ours - theirs : undefined,
    interval,
    difference,
    differs: difference === undefined ? undefined : difference.low > 0 || difference.high < 0,
    scored: arm?.summary.counts.scored,
    count: arm === undefined ? undefined : questionsOf(arm),
    paperCount,
    failed: arm?.summary.counts.failed ?? 0,
    suspect: row.suspect?.[task],
  };
}

/** Of a mean over labels, whose error no printed value tells: that of ours, of one question. Undefined for other metrics. */
function ownVariance({ cell, rows }: OwnArm, name: string): number | undefined {
  const metric = tasks.get(cell.task).metrics.find((one) => one.name === name);
  if (metric?.labels === undefined) return undefined;
  const scored = rows.filter(isScored);
  const repeats = new Set(scored.map((row) => row.cell)).size;
  const found = labelVariance(metric, scored, [...new Set(scored.map((row) => row.cell))]);
  return found === undefined ? undefined : (found * scored.length) / repeats;
}

/** The row's printed values of one task by metric. */
const printedOf = ({ columns }: PaperTable, row: PaperRow, task: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    columns.flatMap((column, c) => (column.task === task ? [[column.metric, row.printed[c] ?? "-"] as const] : [])),
  );

function withRounding(ours: Estimate, theirs: Estimate | undefined, printed: string): Interval | undefined {
  if (theirs === undefined) return undefined;
  const { low, high } = differenceOf(ours, theirs);
  const half = roundingOf(printed);
  return { low: low - half, high: high + half };
}

const fits = ({ arm }: PaperRow, cell: Cell): boolean =>
  cell.method === arm.method &&
  (arm.model === undefined || arm.model.test(cell.model)) &&
  Object.entries(arm.options ?? {}).every(([name, value]) => cell.options[name] === value);

function refuseSimulated({ name }: PaperTable, arms: readonly OwnArm[]): void {
  const simulated = arms.find(({ summary }) => summary.simulated);
  if (simulated !== undefined)
    throw new UsageError(
      `${simulated.run}: its numbers are SIMULATED (embedded model) and are never set beside a paper's; run ${name} on a real model, or add --published-only without --run`,
    );
}

/** Any arm of a figure's task belongs to it; to a table belong those that stand on a line, or that a claim is about. */
function refuseUnrelated(
  table: PaperTable,
  given: readonly OwnArm[],
  arms: readonly OwnArm[],
  lines: readonly ReproducedLine[],
): void {
  const { name, make, rows, claims } = table;
  const related =
    lines.length === 0 || claims.length > 0 ? arms.length > 0 : lines.some(({ arm }) => arm !== undefined);
  if (related) return;
  const unique = (names: readonly string[]) => [...new Set(names)].join(", ");
  const has = `${unique(given.map(({ cell }) => cell.task))} with ${unique(given.map(({ cell }) => cell.method))}`;
  const methods = unique(rows.map(({ arm }) => patternText(arm)));
  const needs = `${tasksOf(table).join(", ")}${methods === "" ? "" : ` with ${methods}`}`;
  throw new UsageError(
    `${unique(given.map(({ run }) => run))}: nothing here belongs to ${name}: it needs ${needs}; there is ${has}; make a run with: lamp-eval ${make}`,
  );
}

const patternText = ({ method, options = {} }: PaperRow["arm"]): string =>
  [method, ...Object.entries(options).map(([name, value]) => `(${name}=${value})`)].join(" ");

const tasksOf = ({ columns, task }: PaperTable): string[] =>
  task === undefined ? [...new Set(columns.map((column) => column.task))] : [task];

const questionsOf = ({ summary: { counts, repeats } }: OwnArm): number =>
  (counts.questions - counts.unscored) / repeats;
