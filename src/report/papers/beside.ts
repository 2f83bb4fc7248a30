import { UsageError } from "../../errors.js";
import { methods } from "../../methods/index.js";
import { armLabel, controlOf } from "../../results/arms.js";
import { inferenceOf, type Theta } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import type { Cell } from "../../types/index.js";
import { asShare, decimals, printedNumber } from "./implied.js";
import { isArm, type OwnArm, scoreOf, thetaOfArm } from "./own-arm.js";
import { type PaperTable, tasksOf } from "./paper.js";
import { type CellPick, matches, type PaperRow } from "./schema.js";
import { selectionValues } from "./selection-values.js";

export interface Reproduced {
  readonly table: PaperTable;
  /** Why the published values are left out: SIMULATED, or the built-in data. Absent: the own numbers are real. */
  readonly unreal?: string;
  readonly arms: readonly OwnArm[];
  readonly lines: readonly ReproducedLine[];
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
  const names = table.columns.length === 0 && table.task !== undefined ? [table.task] : tasksOf(table);
  const here = given.filter(({ cell }) => names.includes(cell.task));
  const arms = here.filter(({ cell }) => controlOf(cell) === "right");
  const left = here.flatMap(({ run, cell }) => {
    const other = `${run}: ${cell.method} on ${cell.task} ran with history.control=${controlOf(cell)}`;
    return controlOf(cell) === "right" ? [] : [`left out: ${other}, not the users' own history`];
  });
  const lines = table.columns.flatMap((_, column) => table.rows.flatMap((_, row) => linesOf(table, row, column, arms)));
  const isThere = lines.some(({ arm }) => arm !== undefined);
  if (arms.length === 0 || !(isThere || lines.length === 0)) {
    const has = [...new Set(given.map(({ cell }) => `${cell.method} on ${cell.task}`)), ...left].join(", ");
    throw new UsageError(
      `nothing here belongs to ${table.name}: it is of ${names.join(", ")}, there is ${has}; make a run with: lamp-eval ${table.make}`,
    );
  }
  if (unreal !== undefined) {
    const alone = lines.map((line) => ({ ...line, published: undefined, difference: undefined, differs: false }));
    return { table, unreal, arms, lines: alone, remarks: left };
  }
  return { table, arms, lines, remarks: [...left, ...remarksOn(table, arms, lines)] };
}

/** Adds a row without published values for each method of the user's own, where rows are methods. */
function withOwnMethods(table: PaperTable, arms: readonly OwnArm[]): PaperTable {
  const { columns, rows } = table;
  if (columns.length === 0 || rows.some(({ arm, group }) => !arm?.method || group !== undefined)) return table;
  const own = new Set(arms.map(({ cell }) => cell.method).filter((name) => methods.find(name) === undefined));
  const values = columns.map(() => "-");
  return { ...table, rows: [...rows, ...[...own].map((method) => ({ label: method, arm: { method }, values }))] };
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
  const expanded = <T extends CellPick>(picked: readonly T[], renamed: (one: T, id: string) => T): T[] => [
    ...picked.filter((one) => isThere || one[kind] === undefined),
    ...own.flatMap((id) =>
      picked
        .filter((one) => one[kind]?.label === first.label)
        .map((one) => ({ ...renamed(one, id), [kind]: { label: id, ids: id } })),
    ),
  ];
  const isAlone = !isThere && own.length === 1; // then the heading of each column needs no name
  const columns = expanded(table.columns, ({ group = "", ...column }, id) => ({
    ...column,
    group: isAlone ? group.replace(` · ${first.label}`, "") : group.replace(first.label, id),
  }));
  const rows = expanded(table.rows, (row, id) =>
    row.group === first.label ? { ...row, group: id } : { ...row, label: id },
  );
  const isNamed = (one: CellPick): boolean => one[kind] === undefined || named.includes(one[kind]);
  const values = (row: PaperRow): string[] =>
    columns.map((column, c) => (isThere && isNamed(row) && isNamed(column) ? row.values[c]! : "-"));
  return { ...table, columns, rows: rows.map((row) => ({ ...row, values: values(row) })) };
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
  const fitting = arms.filter(
    ({ cell }) =>
      cell.task === column.task &&
      wanted !== undefined &&
      isArm(wanted, cell) &&
      (model === undefined || matches(model.ids, cell.model)) &&
      (reference === undefined || matches(reference.ids, modelOf.reference(cell))),
  );
  if (selectionValues[column.metric] !== undefined || fitting.length < 2) return [lineOf(table, [r, c], fitting, arms)];
  return fitting.map((arm) => lineOf(table, [r, c], [arm], arms));
}

function lineOf(table: PaperTable, at: readonly [number, number], fitting: readonly OwnArm[], arms: readonly OwnArm[]) {
  const [row, column] = [table.rows[at[0]]!, table.columns[at[1]]!]; // places of the table
  const { task, metric } = column;
  const printed = row.values[at[1]]!; // rows are as wide as the columns
  const [arm] = fitting;
  const published = printedNumber(printed);
  const ofSelection = selectionValues[metric]?.(fitting, { ...column, ...row }, arms);
  const score = metric in selectionValues ? { value: ofSelection } : scoreOf(arm, metric, row.turn);
  const { title, metrics } = tasks.get(task);
  const known = metrics.find(({ name }) => name === metric);
  const isOther = known === undefined || row.otherSet?.includes(task) === true;
  const paperCount = isOther ? undefined : table.sizeOf(task).n;
  const { counts, repeats = 1 } = arm?.summary ?? {};
  return {
    ...{ at, task, title, metric, method: row.label, group: row.group },
    better: metric === "judge" || known?.better === "higher" ? "higher" : "lower",
    /** Which own arm; undefined where the runs have none. */
    arm: arm === undefined ? undefined : armLabel(arm.summary),
    ...{ printed, published, ours: score.value, interval: score.interval },
    difference: score.value === undefined || published === undefined ? undefined : score.value - published,
    differs: arm !== undefined && paperCount !== undefined && differs(thetaOfArm(arm, metric), printed, paperCount),
    /** Scored questions over all repeats; questions of one repeat; questions behind the paper's value. */
    scored: counts?.scored,
    count: counts === undefined ? undefined : (counts.questions - counts.unscored) / repeats,
    ...{ paperCount, failed: counts?.failed ?? 0, suspect: row.suspect?.[task] },
  };
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

/** Says why own runs and a published table may differ. */
function remarksOn(table: PaperTable, arms: readonly OwnArm[], lines: readonly ReproducedLine[]): string[] {
  const models = [...new Set(arms.map(({ cell }) => cell.model))].join(", ");
  const remarks = [
    `the paper's model: ${table.model ?? "not named"}; ours: ${models}`,
    ...arms.flatMap(({ cell, data, finished, run }) => {
      const [split] = data.files.flatMap((file) => /^(train|dev)_/.exec(file)?.[1] ?? []);
      return [
        ...(split === undefined ? [] : [`${cell.task}: the ${split} split of ${data.name}, not a test set`]),
        ...(finished ? [] : [`PARTIAL: ${run} has not ended`]),
      ];
    }),
    ...lines.flatMap(({ task, count, paperCount }) => {
      if (count === undefined || paperCount === undefined || count === paperCount) return [];
      const { origin } = table.sizeOf(task);
      return [
        `${task}: other test set: n=${count}, the paper's n=${paperCount}${origin === "stated" ? "" : " (derived)"}`,
      ];
    }),
  ];
  return [...new Set(remarks)];
}
