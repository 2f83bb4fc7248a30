import { UsageError } from "../../errors.js";
import { answersIn, usersOf } from "../../results/answers.js";
import { armLabel, settingsApart } from "../../results/arms.js";
import { type Interval, type Theta, thetaOf } from "../../results/inference.js";
import { isScored } from "../../results/pairs.js";
import { tasks } from "../../tasks/index.js";
import type { Cell } from "../../types/index.js";
import { type CellPick, matches, type PaperRow, type PaperTable, printedNumber } from "../papers/paper.js";
import { hasOwnPast } from "../tables/remarks.js";
import { type CheckedClaim, checkClaim } from "./claims.js";
import { differenceFrom } from "./differs.js";
import type { OwnArm } from "./own-arm.js";
import { failedParts, otherPasts, remarksOn } from "./remarks.js";
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

/** One published value and what stands beside it. */
export type ReproducedLine = ReturnType<typeof lineOf>;

/** Indexes of a table's rows and columns. */
interface Place {
  readonly row: number;
  readonly column: number;
}

export const SIMULATED = "SIMULATED, no published values";

/**
 * Puts own arms into a published table, beside its values where ours are real (`notReal`: why not). Arms without the users' own history
 * are left out. Throws UsageError where no arm belongs to the table.
 */
export function besidePaper(published: PaperTable, given: readonly OwnArm[], notReal?: string): Reproduced {
  const unreal = notReal ?? (given.some(({ summary }) => summary.simulated) ? SIMULATED : undefined);
  const table = withOwnModels(published, given);
  const ofTasks = given.filter(({ cell }) => tasksOf(table).includes(cell.task));
  const arms = ofTasks.filter(({ cell }) => hasOwnPast(cell));
  const leftOut = otherPasts(ofTasks.filter(({ cell }) => !hasOwnPast(cell)));
  if (arms.length === 0 && leftOut.length > 0)
    throw new UsageError(
      `${leftOut.join("; ")}: nothing here stands beside ${table.name}; make a run with the right past`,
    );
  const lines = table.columns.flatMap((_, column) =>
    table.rows.flatMap((_, row) => linesOf(table, { row, column }, arms)),
  );
  const belongs =
    lines.length === 0 || table.claims.length > 0 ? arms.length > 0 : lines.some(({ arm }) => arm !== undefined);
  if (!belongs) throw new UsageError(unrelated(table, given));
  const left = leftOut.map((why) => `left out: ${why}`);
  if (unreal !== undefined) return { table, unreal, arms, lines: lines.map(alone), claims: [], remarks: left };
  const sound = arms.filter((arm) => !failedParts(arm).some(({ mostly }) => mostly));
  const claims = table.claims.map((claim) => checkClaim(claim, table, sound));
  return { table, arms, lines, claims, remarks: [...left, ...remarksOn(table, arms, lines)] };
}

const alone = (line: ReproducedLine): ReproducedLine => ({
  ...line,
  ...{ theirs: undefined, delta: undefined, difference: undefined, differs: undefined },
});

const tasksOf = ({ columns, task }: PaperTable): string[] =>
  columns.length === 0 && task !== undefined ? [task] : [...new Set(columns.map((column) => column.task))];

function unrelated(table: PaperTable, given: readonly OwnArm[]): string {
  const unique = (names: readonly string[]) => [...new Set(names)].join(", ");
  const has = `${unique(given.map(({ cell }) => cell.task))} with ${unique(given.map(({ cell }) => cell.method))}`;
  const wanted = unique(
    [...table.rows, ...table.columns].flatMap(({ arm }) => (arm === undefined ? [] : armText(arm))),
  );
  const needs = `${tasksOf(table).join(", ")}${wanted === "" ? "" : ` with ${wanted}`}`;
  const runs = unique(given.map(({ run }) => run));
  return `${runs}: nothing here belongs to ${table.name}: it needs ${needs}; there is ${has}; make a run with: lamp-eval ${table.make}`;
}

const armText = ({ method, options = {} }: NonNullable<CellPick["arm"]>): string =>
  [
    ...(method === undefined ? [] : [method]),
    ...Object.entries(options).map(([name, value]) => `(${name}=${value})`),
  ].join(" ");

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
function linesOf(table: PaperTable, at: Place, arms: readonly OwnArm[]): ReproducedLine[] {
  const [row, column] = [table.rows[at.row]!, table.columns[at.column]!]; // places of the table
  const { arm: wanted, model, reference }: CellPick = { ...column, ...row };
  const there = arms.filter(
    ({ cell }) =>
      cell.task === column.task &&
      wanted !== undefined &&
      (wanted.method === undefined || cell.method === wanted.method) &&
      Object.entries(wanted.options ?? {}).every(([name, value]) => matches(value, cell.options[name])) &&
      (model === undefined || matches(model.ids, cell.model)) &&
      (reference === undefined || matches(reference.ids, modelOf.reference(cell))),
  );
  const fitting = row.people === true ? [peopleArm(arms) ?? []].flat() : there;
  if (selectionValues[column.metric] !== undefined || fitting.length < 2) return [lineOf(table, at, fitting, arms)];
  return fitting.map((arm) => lineOf(table, at, [arm], arms));
}

function lineOf(table: PaperTable, at: Place, fitting: readonly OwnArm[], arms: readonly OwnArm[]) {
  const [row, column] = [table.rows[at.row]!, table.columns[at.column]!]; // places of the table
  const { task, metric } = column;
  const printed = row.values[at.column]!; // rows are as wide as the columns
  const [arm] = fitting;
  const theirs = printedNumber(printed);
  const selected = selectionValues[metric]?.(fitting, { ...column, ...row }, arms);
  const score = scoreOf(arm, metric);
  const [ours, interval] = metric in selectionValues ? [selected] : [score.value, score.interval];
  const paperCount = row.otherSet?.includes(task) === true ? undefined : table.sizes[task]?.n;
  const theta = arm === undefined || paperCount === undefined ? undefined : thetaOfArm(arm, metric);
  const difference =
    theta === undefined || theirs === undefined || paperCount === undefined
      ? undefined
      : differenceFrom(theta, { value: theirs, printed, count: paperCount });
  const { title, metrics } = tasks.get(task);
  const isHigher = metric === "judge" || metrics.find(({ name }) => name === metric)?.better === "higher";
  const { counts, repeats = 1 } = arm?.summary ?? {};
  return {
    ...{ at, task, title, metric, better: isHigher ? "higher" : "lower", method: row.label, group: row.group },
    /** Which own arm; undefined where the runs have none. */
    arm: arm === undefined ? undefined : ownLabel(arm, arms),
    ...{ printed, theirs, ours },
    delta: ours === undefined || theirs === undefined ? undefined : ours - theirs,
    /** 95 % of ours; and of ours minus theirs, both errors and the rounding in it, where theirs is derivable. */
    ...{ interval, difference },
    /** Whether 0 lies outside of it. */
    differs: difference === undefined ? undefined : difference.low > 0 || difference.high < 0,
    /** Scored questions over all repeats; questions of one repeat; questions derived for the paper. */
    scored: counts?.scored,
    count: counts === undefined ? undefined : (counts.questions - counts.unscored) / repeats,
    ...{ paperCount, failed: counts?.failed ?? 0, suspect: row.suspect?.[task] },
  };
}

/** Returns an arm's score with its interval: of a judge, its seconds, or of a metric. */
function scoreOf(
  arm: OwnArm | undefined,
  metric: string,
): { readonly value: number | undefined; readonly interval: Interval | undefined } {
  if (metric === "judge" && arm?.judged !== undefined) return { ...arm.judged, value: arm.judged.mean };
  if (metric === "seconds") return { value: arm?.summary.secondsPerQuery, interval: undefined };
  const found = arm?.summary.metrics.find(({ name }) => name === metric);
  return { value: found?.strict, interval: found?.interval };
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
    armLabel({ method: cell.method, variant, unaligned: summary.unaligned }),
    ...(peers.some((one) => one.cell.model !== cell.model) ? [cell.model] : []),
    ...(variant === "" && peers.some((one) => one.run !== run) ? [run] : []),
  ].join(", ");
}
