import { UsageError } from "../../errors.js";
import { methods } from "../../methods/index.js";
import { armLabel, controlOf } from "../../results/arms.js";
import { inferenceOf, type Theta } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import type { ArmSpec } from "../../types/index.js";
import { asShare, decimals, printedNumber } from "./implied.js";
import { isArm, type OwnArm, scoreOf, thetaOfArm } from "./own-arm.js";
import { type PaperTable, tasksOf } from "./paper.js";
import { type ArmFilter, matches, type PaperRow } from "./schema.js";
import { selectionCounts, selectionValues } from "./selection-values.js";

export interface Reproduced {
  readonly table: PaperTable;
  /** Reason to leave out published values: SIMULATED, or the built-in data. Absent: the own numbers are real. */
  readonly whyAlone?: string;
  readonly arms: readonly OwnArm[];
  readonly lines: readonly ReproducedLine[];
  /** Reasons why these runs' numbers and the paper's may differ. */
  readonly remarks: readonly string[];
}

/** One published value and the own one beside it. */
export type ReproducedLine = ReturnType<typeof lineOf>;

export const SIMULATED = "SIMULATED, no published values";

/**
 * Puts own arms into a published table, beside its values, or alone (`why`). Arms without the users' own history are left out. Throws
 * UsageError where no arm belongs to the table.
 */
export function besidePaper(published: PaperTable, given: readonly OwnArm[], why?: string): Reproduced {
  const whyAlone = why ?? (given.some(({ summary }) => summary.simulated) ? SIMULATED : undefined);
  const table = withOwnMethods(withOwnModels(published, given), given);
  const names = table.columns.length === 0 && table.task !== undefined ? [table.task] : tasksOf(table);
  const ofTasks = given.filter(({ spec }) => names.includes(spec.task));
  const arms = ofTasks.filter(({ spec }) => controlOf(spec) === "right");
  const others = ofTasks.filter((arm) => !arms.includes(arm));
  const excluded = others.map(({ run, spec }) => {
    const ran = `${run}: ${spec.method} on ${spec.task} ran with history.control=${controlOf(spec)}`;
    return `left out: ${ran}, not the users' own history`;
  });
  const lines = table.columns.flatMap((_, column) => table.rows.flatMap((_, row) => linesOf(table, row, column, arms)));
  const hasAny = lines.length === 0 || lines.some(({ arm }) => arm !== undefined);
  if (arms.length === 0 || !hasAny) {
    const has = [...new Set(given.map(({ spec }) => `${spec.method} on ${spec.task}`)), ...excluded].join(", ");
    const of = `it is of ${names.join(", ")}, there is ${has}`;
    throw new UsageError(`nothing here belongs to ${table.name}: ${of}; make a run with: lamp-eval ${table.make}`);
  }
  if (whyAlone === undefined) return { table, arms, lines, remarks: [...excluded, ...remarksOn(table, arms, lines)] };
  const alone = lines.map((line) => ({ ...line, published: undefined, difference: undefined, differs: false }));
  return { table, whyAlone, arms, lines: alone, remarks: excluded };
}

/** Adds a row without published values for each method of the user's own, where rows are methods. */
function withOwnMethods(table: PaperTable, arms: readonly OwnArm[]): PaperTable {
  const { columns, rows } = table;
  if (columns.length === 0 || rows.some(({ arm, group }) => !arm?.method || group !== undefined)) return table;
  const own = new Set(arms.map(({ spec }) => spec.method).filter((name) => methods.find(name) === undefined));
  const values = columns.map(() => "-");
  return { ...table, rows: [...rows, ...[...own].map((method) => ({ label: method, arm: { method }, values }))] };
}

/** Adds own models behind those that the table names; they replace these if no model of the table was run. */
function withOwnModels(table: PaperTable, arms: readonly OwnArm[]): PaperTable {
  const picks = [...table.columns, ...table.rows];
  const kind = picks.some(({ reference }) => reference !== undefined) ? "reference" : "model";
  const named = picks.flatMap((pick) => pick[kind] ?? []);
  const [first] = named;
  if (first === undefined) return table;
  const ids = [...new Set(arms.map(({ spec }) => modelOf[kind](spec)))];
  const own = ids.filter((id) => !named.some((one) => matches(one.ids, id)));
  const someNamedRan = own.length < ids.length;
  const kept = <T extends ArmFilter>(picked: readonly T[]): T[] =>
    picked.filter((one) => someNamedRan || one[kind] === undefined);
  const added = <T extends ArmFilter>(picked: readonly T[], renamed: (one: T, id: string) => T): T[] => {
    const ofFirst = picked.filter((one) => one[kind]?.label === first.label);
    return own.flatMap((id) => ofFirst.map((one) => ({ ...renamed(one, id), [kind]: { label: id, ids: id } })));
  };
  const columns = [
    ...kept(table.columns),
    ...added(table.columns, (one, id) => ({ ...one, group: (one.group ?? "").replace(first.label, id) })),
  ];
  const rows = [
    ...kept(table.rows),
    ...added(table.rows, (row, id) => ({ ...row, values: [], [row.group === first.label ? "group" : "label"]: id })),
  ];
  const valuesOf = ({ values }: PaperRow) => columns.map((column) => values[table.columns.indexOf(column)] ?? "-");
  return { ...table, columns, rows: rows.map((row) => ({ ...row, values: valuesOf(row) })) };
}

/** The model that answers, and that utilities were measured with. */
const modelOf = {
  model: ({ model }: ArmSpec): string => model,
  reference: ({ model, options }: ArmSpec): string => String(options["model.reference"] || model),
};

/** Returns a line for each arm that fits the row and column; a statistic of selections is one line of them all. */
function linesOf(table: PaperTable, r: number, c: number, arms: readonly OwnArm[]): ReproducedLine[] {
  const [row, column] = [table.rows[r]!, table.columns[c]!]; // places of the table
  const { arm: wanted, model, reference }: ArmFilter = { ...column, ...row };
  const fitting = arms.filter(
    ({ spec }) =>
      spec.task === column.task &&
      wanted !== undefined &&
      isArm(wanted, spec) &&
      (model === undefined || matches(model.ids, spec.model)) &&
      (reference === undefined || matches(reference.ids, modelOf.reference(spec))),
  );
  if (selectionValues[column.metric] !== undefined || fitting.length < 2) return [lineOf(table, [r, c], fitting, arms)];
  return fitting.map((arm) => lineOf(table, [r, c], [arm], arms));
}

function lineOf(table: PaperTable, at: readonly [number, number], fitting: readonly OwnArm[], arms: readonly OwnArm[]) {
  const [row, column] = [table.rows[at[0]]!, table.columns[at[1]]!]; // places of the table
  const { task, metric } = column;
  const printed = row.values[at[1]]!; // rows are as wide as the columns
  const published = printedNumber(printed);
  const [arm] = fitting;
  const selected = selectionValues[metric];
  const { value: ours, interval } =
    selected === undefined
      ? scoreOf(arm, metric, row.turn)
      : { value: selected(fitting, { ...column, ...row }, arms), interval: undefined };
  const { title, metrics } = tasks.get(task);
  const known = metrics.find(({ name }) => name === metric);
  const isOther = known === undefined || row.otherSet?.includes(task) === true;
  const paperCount = isOther ? undefined : table.sizeOf(task).n;
  const { counts, repeats = 1 } = arm?.summary ?? {};
  return {
    at,
    task,
    title,
    metric,
    better: metric === "judge" || known?.better === "higher" ? "higher" : "lower",
    method: row.label,
    group: row.group,
    /** The own arm; undefined where the runs have none. */
    arm: arm === undefined ? undefined : armLabel(arm.summary),
    printed,
    published,
    ours,
    interval,
    /** Verdicts behind a win rate. */
    verdicts: selectionCounts[metric]?.(fitting, { ...column, ...row }, arms),
    difference: ours === undefined || published === undefined ? undefined : ours - published,
    differs: arm !== undefined && paperCount !== undefined && differs(thetaOfArm(arm, metric), printed, paperCount),
    /** Scored questions over all repeats. */
    scored: counts?.scored,
    /** Questions of one repeat. */
    count: counts === undefined ? undefined : (counts.questions - counts.unscored) / repeats,
    paperCount,
    failed: counts?.failed ?? 0,
    /** Reason why the published value is no target. */
    suspect: row.suspect?.[task],
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
  const models = [...new Set(arms.map(({ spec }) => spec.model))].join(", ");
  const ofArms = arms.flatMap(({ spec, data, finished, run }) => {
    const [split] = data.files.flatMap((file) => /^(train|dev)_/.exec(file)?.[1] ?? []);
    return [
      ...(split === undefined ? [] : [`${spec.task}: the ${split} split of ${data.name}, not a test set`]),
      ...(finished ? [] : [`PARTIAL: ${run} has not ended`]),
    ];
  });
  const ofSizes = lines.flatMap(({ task, count, paperCount }) => {
    if (count === undefined || paperCount === undefined || count === paperCount) return [];
    const derived = table.sizeOf(task).origin === "stated" ? "" : " (derived)";
    return [`${task}: other test set: n=${count}, the paper's n=${paperCount}${derived}`];
  });
  return [...new Set([`the paper's model: ${table.model ?? "not named"}; ours: ${models}`, ...ofArms, ...ofSizes])];
}
