import { UsageError } from "../../errors.js";
import { answersIn, usersOf } from "../../results/answers.js";
import { type Interval, type Theta, thetaOf } from "../../results/inference.js";
import { isScored } from "../../results/pairs.js";
import { tasks } from "../../tasks/index.js";
import type { Cell } from "../../types/index.js";
import { armLabel, settingsApart } from "../arms.js";
import {
  type ArmPattern,
  type CellPick,
  type Finding,
  type OwnArm,
  type PaperRow,
  type PaperTable,
  printedNumber,
} from "../papers/paper.js";
import { hasOwnPast } from "../tables/remarks.js";
import { differenceFrom } from "./differs.js";
import { failedParts } from "./failed-parts.js";
import { otherPasts, remarksOn } from "./remarks.js";
import { peopleArm, selectionValues } from "./selection-values.js";

export interface Reproduced {
  readonly table: PaperTable;
  /** Why these numbers mean nothing beside the paper's, which are left out: SIMULATED, or the built-in data. Absent: they are real. */
  readonly unreal?: string;
  readonly arms: readonly OwnArm[];
  readonly lines: readonly ReproducedLine[];
  readonly claims: readonly CheckedClaim[];
  /** Why the numbers of these runs and the paper's may differ: model, settings, unfinished runs, ... */
  readonly remarks: readonly string[];
}

/** One published value and what stands beside it. */
export interface ReproducedLine {
  /** Where it stands in the table: indexes of its rows and columns. */
  readonly at: { readonly row: number; readonly column: number };
  readonly task: string;
  readonly title: string;
  readonly metric: string;
  readonly better: "higher" | "lower";
  /** The paper's label, and what is printed in front of it. */
  readonly method: string;
  readonly group?: string;
  /** Which own arm; undefined where the runs have none. */
  readonly arm: string | undefined;
  readonly printed: string;
  readonly theirs: number | undefined;
  readonly ours: number | undefined;
  readonly delta: number | undefined;
  /** Of ours: 95 %, for users drawn like these; undefined below 10 users, and for seconds. */
  readonly interval: Interval | undefined;
  /** Ours minus theirs with both errors and the rounding (`differenceFrom`); undefined where the size of their set is not known. */
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
  /** Undefined: the runs lack what the claim needs; arms whose method mostly failed bear out nothing. */
  readonly finding: Finding | undefined;
}

/**
 * Puts own arms into a published table, beside its values where ours are real (`notReal` says why they are not); those that were not
 * given the users' own pasts are left out. Throws UsageError where no arm belongs to the table.
 */
export function besidePaper(published: PaperTable, given: readonly OwnArm[], notReal?: string): Reproduced {
  const unreal = notReal ?? (given.some(({ summary }) => summary.simulated) ? SIMULATED : undefined);
  const table = withOwnModels(published, given);
  const wanted = tasksOf(table);
  const ofTasks = given.filter(({ cell }) => wanted.includes(cell.task));
  const arms = ofTasks.filter(({ cell }) => hasOwnPast(cell));
  const leftOut = otherPasts(ofTasks.filter(({ cell }) => !hasOwnPast(cell)));
  if (arms.length === 0 && leftOut.length > 0)
    throw new UsageError(
      `${leftOut.join("; ")}: nothing here stands beside ${table.name}; make a run with the right past`,
    );
  const lines = table.columns.flatMap((_, column) =>
    table.rows.flatMap((_, row) => linesOf(table, { row, column }, arms)),
  );
  refuseUnrelated(table, given, arms, lines);
  const left = leftOut.map((why) => `left out: ${why}`);
  if (unreal !== undefined) return { table, unreal, arms, lines: lines.map(alone), claims: [], remarks: left };
  const sound = arms.filter((arm) => !failedParts(arm).some(({ mostly }) => mostly));
  const claims = table.claims.map(({ check, ...claim }) => ({ ...claim, finding: check(sound) }));
  return { table, arms, lines, claims, remarks: [...left, ...remarksOn(table, arms, lines)] };
}

export const SIMULATED = "SIMULATED, no published values";

/** Ours without anything of the paper's. */
const alone = (line: ReproducedLine): ReproducedLine => ({
  ...line,
  theirs: undefined,
  delta: undefined,
  difference: undefined,
  differs: undefined,
});

/** The table with a row, or columns, for each own model that it does not name, beside no published value; with those it names where one is there. */
function withOwnModels(table: PaperTable, arms: readonly OwnArm[]): PaperTable {
  const picks = [...table.columns, ...table.rows];
  const named = picks.flatMap((pick) => pick.model ?? pick.reference ?? []);
  const [first] = named;
  if (first === undefined) return table;
  const isReference = picks.some(({ reference }) => reference !== undefined);
  const ids = [...new Set(arms.map(({ cell }) => (isReference ? referenceOf(cell) : cell.model)))];
  const own = ids.filter((id) => !named.some(({ is }) => is.test(id)));
  const isThere = own.length < ids.length;
  const isAlone = !isThere && own.length === 1;
  const expanded = <T extends CellPick>(picked: readonly T[], renamed: (one: T, id: string) => T): T[] => {
    const ofFirst = picked.filter((one) => (one.model ?? one.reference)?.label === first.label);
    const kept = picked.filter((one) => isThere || (one.model ?? one.reference) === undefined);
    return [...kept, ...own.flatMap((id) => ofFirst.map((one) => ({ ...renamed(one, id), ...modelPick(one, id) })))];
  };
  const columns = expanded(table.columns, (column, id) => ({
    ...column,
    // One model alone needs no name in every heading.
    group: (column.group ?? "").replace(isAlone ? ` · ${first.label}` : first.label, isAlone ? "" : id),
  }));
  const rows = expanded(table.rows, (row, id) => ({
    ...row,
    ...(row.group === first.label ? { group: id } : { method: id }),
    printed: [],
  }));
  const printed = (row: PaperRow) => columns.map((_, c) => (isThere ? (row.printed[c] ?? "-") : "-"));
  return { ...table, columns, rows: rows.map((row) => ({ ...row, printed: printed(row) })) };
}

/** The model that an own arm has, in the place of the one that is named. */
const modelPick = ({ reference }: CellPick, id: string): CellPick => {
  const model = { label: id, is: { test: (other: string) => other === id }, example: id };
  return reference === undefined ? { model } : { reference: model };
};

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

type Place = ReproducedLine["at"];

/** A line an arm that stands there; of a number of selections one line. */
function linesOf(table: PaperTable, at: Place, arms: readonly OwnArm[]): ReproducedLine[] {
  const [row, column] = [table.rows[at.row]!, table.columns[at.column]!]; // places of the table
  const pick = { ...column, ...row };
  const there = arms.filter(
    ({ cell }) =>
      cell.task === column.task &&
      fits(pick.arm, cell) &&
      (pick.model === undefined || pick.model.is.test(cell.model)) &&
      (pick.reference === undefined || pick.reference.is.test(referenceOf(cell))),
  );
  const fitting = row.people === true ? [peopleArm(arms) ?? []].flat() : there;
  if (selectionValues[column.metric] === undefined && fitting.length > 1)
    return fitting.map((arm) => lineOf(table, at, [arm], arms));
  return [lineOf(table, at, fitting, arms)];
}

function lineOf(table: PaperTable, at: Place, fitting: readonly OwnArm[], arms: readonly OwnArm[]): ReproducedLine {
  const [row, column] = [table.rows[at.row]!, table.columns[at.column]!]; // places of the table
  const { task, metric } = column;
  const printed = row.printed[at.column]!; // rows are as wide as the columns
  const [arm] = fitting;
  const theirs = printedNumber(printed);
  const found = arm?.summary.metrics.find(({ name }) => name === metric);
  const judged = metric === "judge" ? arm?.judged : undefined;
  const selected = selectionValues[metric];
  const ours =
    selected !== undefined
      ? selected(fitting, { ...column, ...row }, arms)
      : metric === "seconds"
        ? arm?.summary.secondsPerQuery
        : (judged?.mean ?? found?.strict);
  const interval = judged === undefined ? found?.interval : judged.interval;
  const both = ours !== undefined && theirs !== undefined;
  const paperCount = row.otherSet?.includes(task) === true ? undefined : table.samples[task];
  const theta = arm === undefined || paperCount === undefined ? undefined : meanOfArm(arm, metric);
  const difference =
    theta === undefined || theirs === undefined || paperCount === undefined
      ? undefined
      : differenceFrom(theta, { value: theirs, printed, count: paperCount });
  return {
    at,
    task,
    title: tasks.get(task).title,
    metric,
    better:
      tasks.get(task).metrics.find(({ name }) => name === metric)?.better ?? (metric === "judge" ? "higher" : "lower"),
    method: row.method,
    ...(row.group === undefined ? {} : { group: row.group }),
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

/** Undefined for a mean over labels, whose value depends on the size of the set, and where the metric is none of the task's. */
function meanOfArm({ cell, rows }: OwnArm, name: string): Theta | undefined {
  const metric = tasks.get(cell.task).metrics.find((one) => one.name === name);
  if (metric === undefined || metric.labels !== undefined) return undefined;
  return thetaOf(metric, usersOf(answersIn(rows.filter(isScored))));
}

/** The model that utilities were measured with. */
const referenceOf = ({ model, options }: Cell): string => String(options["model.reference"] || model);

const fits = (pattern: ArmPattern | undefined, cell: Cell): boolean =>
  pattern !== undefined &&
  (pattern.method === undefined || cell.method === pattern.method) &&
  Object.entries(pattern.options ?? {}).every(([name, value]) =>
    value instanceof RegExp ? value.test(String(cell.options[name])) : cell.options[name] === value,
  );

/** Any arm of a figure's task belongs to it; to a table belong those that stand on a line, or that a claim is about. */
function refuseUnrelated(
  { name, make, rows, columns, claims, ...table }: PaperTable,
  given: readonly OwnArm[],
  arms: readonly OwnArm[],
  lines: readonly ReproducedLine[],
): void {
  if (lines.length === 0 || claims.length > 0 ? arms.length > 0 : lines.some(({ arm }) => arm !== undefined)) return;
  const unique = (names: readonly string[]) => [...new Set(names)].join(", ");
  const has = `${unique(given.map(({ cell }) => cell.task))} with ${unique(given.map(({ cell }) => cell.method))}`;
  const patterns = [...rows, ...columns].flatMap(({ arm }) => (arm === undefined ? [] : [patternText(arm)]));
  const wanted = unique(patterns);
  const needs = `${tasksOf({ ...table, columns }).join(", ")}${wanted === "" ? "" : ` with ${wanted}`}`;
  throw new UsageError(
    `${unique(given.map(({ run }) => run))}: nothing here belongs to ${name}: it needs ${needs}; there is ${has}; make a run with: lamp-eval ${make}`,
  );
}

const patternText = ({ method, options = {} }: ArmPattern): string =>
  [
    ...(method === undefined ? [] : [method]),
    ...Object.entries(options).map(([name, value]) => `(${name}=${value})`),
  ].join(" ");

const tasksOf = ({ columns, task }: Pick<PaperTable, "columns" | "task">): string[] =>
  columns.length === 0 && task !== undefined ? [task] : [...new Set(columns.map((column) => column.task))];

const questionsOf = ({ summary: { counts, repeats } }: OwnArm): number =>
  (counts.questions - counts.unscored) / repeats;
