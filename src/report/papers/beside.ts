import { UsageError } from "../../errors.js";
import { methods } from "../../methods/index.js";
import { answersIn, usersOf } from "../../results/answers.js";
import { armLabel, controlOf, settingsApart } from "../../results/arms.js";
import { type Interval, inferenceOf, type Theta, thetaOf } from "../../results/inference.js";
import { isScored, mean } from "../../results/pairs.js";
import { tasks } from "../../tasks/index.js";
import type { Cell } from "../../types/index.js";

import { type CheckedClaim, checkClaim } from "./claims.js";
import { asShare, decimals, printedNumber } from "./implied.js";
import { isArm, type OwnArm } from "./own-arm.js";
import { type CellPick, matches, type PaperRow, type PaperTable } from "./paper.js";
import { failedParts, otherHistories, remarksOn } from "./remarks.js";
import { peopleArm, selectionValues } from "./selection-values.js";

export interface Reproduced {
  readonly table: PaperTable;
  /** Why the published values are left out: SIMULATED, or the built-in data. Absent: the own numbers are real. */
  readonly unreal?: string;
  readonly arms: readonly OwnArm[];
  readonly lines: readonly ReproducedLine[];
  readonly claims: readonly CheckedClaim[];
  /** Why the numbers of these runs and the paper's may differ. */
  readonly remarks: readonly string[];
}

/** One published value and the own one beside it. */
export type ReproducedLine = ReturnType<typeof lineOf>;

export const SIMULATED = "SIMULATED, no published values";

/**
 * Puts own arms into a published table, beside its values where ours are real (`notReal`: why not). Arms without the users' own history
 * are left out. Throws UsageError where no arm belongs to the table.
 */
export function besidePaper(published: PaperTable, given: readonly OwnArm[], notReal?: string): Reproduced {
  const unreal = notReal ?? (given.some(({ summary }) => summary.simulated) ? SIMULATED : undefined);
  const table = withOwnMethods(withOwnModels(published, given), given);
  const ofTasks = given.filter(({ cell }) => tasksOf(table).includes(cell.task));
  const arms = ofTasks.filter(({ cell }) => controlOf(cell) === "right");
  const leftOut = otherHistories(ofTasks.filter(({ cell }) => controlOf(cell) !== "right"));
  if (arms.length === 0 && leftOut.length > 0)
    throw new UsageError(
      `${leftOut.join("; ")}: nothing here stands beside ${table.name}; make a run with the users' own history`,
    );
  const lines = table.columns.flatMap((_, column) => table.rows.flatMap((_, row) => linesOf(table, row, column, arms)));
  const belongs =
    lines.length === 0 || table.claims.length > 0 ? arms.length > 0 : lines.some(({ arm }) => arm !== undefined);
  if (!belongs) throw new UsageError(unrelated(table, given));
  const left = leftOut.map((why) => `left out: ${why}`);
  if (unreal !== undefined) {
    const alone = lines.map((line) => ({ ...line, published: undefined, difference: undefined, differs: false }));
    return { table, unreal, arms, lines: alone, claims: [], remarks: left };
  }
  const sound = arms.filter((arm) => !failedParts(arm).some(({ mostly }) => mostly));
  const claims = table.claims.map((claim) => checkClaim(claim, table, sound));
  return { table, arms, lines, claims, remarks: [...left, ...remarksOn(table, arms, lines)] };
}

const tasksOf = ({ columns, task }: PaperTable): string[] =>
  columns.length === 0 && task !== undefined ? [task] : [...new Set(columns.map((column) => column.task))];

function unrelated(table: PaperTable, given: readonly OwnArm[]): string {
  const has = [...new Set(given.map(({ cell }) => `${cell.method} on ${cell.task}`))].join(", ");
  return `nothing here belongs to ${table.name}: it is of ${tasksOf(table).join(", ")}, there is ${has}; make a run with: lamp-eval ${table.make}`;
}

/** Adds a row without published values for each method of the user's own, where rows are methods. */
function withOwnMethods(table: PaperTable, arms: readonly OwnArm[]): PaperTable {
  if (table.columns.length === 0 || table.rows.some(({ arm, group }) => !arm?.method || group !== undefined))
    return table;
  const own = new Set(arms.map(({ cell }) => cell.method).filter((name) => methods.find(name) === undefined));
  const values = table.columns.map(() => "-");
  return { ...table, rows: [...table.rows, ...[...own].map((method) => ({ label: method, arm: { method }, values }))] };
}

/** Adds rows, or columns, without published values for own models that the table does not name; those it names stay where one is there. */
function withOwnModels(table: PaperTable, arms: readonly OwnArm[]): PaperTable {
  const picks = [...table.columns, ...table.rows];
  const kind = picks.some(({ reference }) => reference !== undefined) ? "reference" : "model";
  const named = picks.flatMap((pick) => pick[kind] ?? []);
  const [first] = named;
  if (first === undefined) return table;
  const ids = [...new Set(arms.map(({ cell }) => modelOf[kind](cell)))];
  const own = ids.filter((id) => !named.some((one) => matches(one.ids, id)));
  const isThere = own.length < ids.length;
  const isAlone = !isThere && own.length === 1;
  const expanded = <T extends CellPick>(picked: readonly T[], renamed: (one: T, id: string) => T): T[] => [
    ...picked.filter((one) => isThere || one[kind] === undefined),
    ...own.flatMap((id) =>
      picked
        .filter((one) => one[kind]?.label === first.label)
        .map((one) => ({ ...renamed(one, id), [kind]: { label: id, ids: id } })),
    ),
  ];
  // One model alone needs no name in every heading.
  const headed = (group = "", id: string) =>
    group.replace(isAlone ? ` · ${first.label}` : first.label, isAlone ? "" : id);
  const columns = expanded(table.columns, (column, id) => ({ ...column, group: headed(column.group, id) }));
  const rows = expanded(table.rows, (row, id) => ({
    ...row,
    ...(row.group === first.label ? { group: id } : { label: id }),
    values: [],
  }));
  const printed = ({ values }: PaperRow) => columns.map((_, c) => (isThere ? (values[c] ?? "-") : "-"));
  return { ...table, columns, rows: rows.map((row) => ({ ...row, values: printed(row) })) };
}

/** The model that answers, and that utilities were measured with. */
const modelOf = {
  model: ({ model }: Cell): string => model,
  reference: ({ model, options }: Cell): string => String(options["model.reference"] || model),
};

/** Makes a line an arm that stands there; of a number of selections one line. */
function linesOf(table: PaperTable, r: number, c: number, arms: readonly OwnArm[]): ReproducedLine[] {
  const [row, column] = [table.rows[r]!, table.columns[c]!]; // places of the table
  const { arm: wanted, model, reference }: CellPick = { ...column, ...row };
  const there = arms.filter(
    ({ cell }) =>
      cell.task === column.task &&
      wanted !== undefined &&
      isArm(wanted, cell) &&
      (model === undefined || matches(model.ids, cell.model)) &&
      (reference === undefined || matches(reference.ids, modelOf.reference(cell))),
  );
  const fitting = row.people === true ? peopleArm(arms) : there;
  if (selectionValues[column.metric] !== undefined || fitting.length < 2) return [lineOf(table, [r, c], fitting, arms)];
  return fitting.map((arm) => lineOf(table, [r, c], [arm], arms));
}

function lineOf(table: PaperTable, at: readonly [number, number], fitting: readonly OwnArm[], arms: readonly OwnArm[]) {
  const [row, column] = [table.rows[at[0]]!, table.columns[at[1]]!]; // places of the table
  const { task, metric } = column;
  const printed = row.values[at[1]]!; // rows are as wide as the columns
  const [arm] = fitting;
  const published = printedNumber(printed);
  const { value: ours, interval } =
    metric in selectionValues
      ? { value: selectionValues[metric]?.(fitting, { ...column, ...row }, arms), interval: undefined }
      : scoreOf(arm, metric, row.turn);
  const { title, metrics } = tasks.get(task);
  const known = metrics.find(({ name }) => name === metric);
  const isOther = known === undefined || row.otherSet?.includes(task) === true;
  const paperCount = isOther ? undefined : table.sizeOf(task).n;
  const isHigher = metric === "judge" || known?.better === "higher";
  const { counts, repeats = 1 } = arm?.summary ?? {};
  return {
    ...{ at, task, title, metric, better: isHigher ? "higher" : "lower", method: row.label, group: row.group },
    /** Which own arm; undefined where the runs have none. */
    arm: arm === undefined ? undefined : ownLabel(arm, arms),
    ...{ printed, published, ours, interval },
    difference: ours === undefined || published === undefined ? undefined : ours - published,
    differs: arm !== undefined && paperCount !== undefined && differs(thetaOfArm(arm, metric), printed, paperCount),
    /** Scored questions over all repeats; questions of one repeat; questions behind the paper's value. */
    scored: counts?.scored,
    count: counts === undefined ? undefined : (counts.questions - counts.unscored) / repeats,
    ...{ paperCount, failed: counts?.failed ?? 0, suspect: row.suspect?.[task] },
  };
}

/** Returns an arm's score with its interval: of a judge, its seconds, or of a metric. */
function scoreOf(
  arm: OwnArm | undefined,
  metric: string,
  turn: number | undefined,
): { readonly value: number | undefined; readonly interval: Interval | undefined } {
  if (metric === "judge" && arm?.judged !== undefined) {
    const { mean: value, interval, verdicts } = arm.judged;
    const ofTurn = verdicts.filter((one) => one.turn === turn).map((one) => one.value);
    return turn === undefined ? { value, interval } : { value: mean(ofTurn), interval: undefined };
  }
  if (metric === "seconds") return { value: arm?.summary.secondsPerQuery, interval: undefined };
  const found = arm?.summary.metrics.find(({ name }) => name === metric);
  return { value: found?.strict, interval: found?.interval };
}

/**
 * Returns whether ours lies further from a published value than t se sqrt(1 + Q / N) and half a unit of its last printed digit:
 * Q questions of ours, N of the paper's, whose own error is taken to be as ours.
 */
function differs(ours: Theta | undefined, printed: string, count: number): boolean {
  const [published, interval] = [printedNumber(printed), ours && inferenceOf(ours)?.interval];
  if (ours === undefined || published === undefined || interval === undefined) return false;
  const own = ours.questions.reduce((sum, questions) => sum + questions, 0);
  const rounding = 0.5 * 10 ** -decimals(asShare(printed));
  return Math.abs(ours.value - published) > (interval.high - ours.value) * Math.sqrt(1 + own / count) + rounding;
}

/** Undefined for a mean over labels, whose value depends on the size of the set, and where the metric is none of the task's. */
function thetaOfArm({ cell, rows }: OwnArm, name: string): Theta | undefined {
  const metric = tasks.get(cell.task).metrics.find((one) => one.name === name);
  if (metric === undefined || metric.labels !== undefined) return undefined;
  return thetaOf(metric, usersOf(answersIn(rows.filter(isScored))));
}

/** `persona-agent (align.batchSize=5), openai/gpt`: short as far as the arms of that method allow. */
function ownLabel({ cell, run, summary }: OwnArm, arms: readonly OwnArm[]): string {
  const peers = arms.filter((one) => one.cell.method === cell.method && one.cell.task === cell.task);
  const variant = settingsApart(
    cell.options,
    peers.map((one) => one.cell.options),
  );
  return [
    armLabel({ method: cell.method, variant, lacks: summary.lacks }),
    ...(peers.some((one) => one.cell.model !== cell.model) ? [cell.model] : []),
    ...(variant === "" && peers.some((one) => one.run !== run) ? [run] : []),
  ].join(", ");
}
