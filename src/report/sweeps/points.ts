import type { Cell, OptionValue, Row, SweepFacts, Task } from "../../types.js";
import { compareIfAny, type TestedArms } from "../compare/compare.js";
import { headingMark } from "../simulated.js";
import type { Summary } from "../summary.js";
import { dash, type Table } from "../table.js";
import { formatInterval, formatScore } from "../tables/format.js";
import type { TaskFacts } from "../tables/results.js";

export interface SweepMaterial {
  readonly sweep: SweepFacts;
  readonly summaries: readonly Summary[];
  readonly facts: readonly TaskFacts[];
  readonly cells: readonly Cell[];
  readonly rows: readonly Row[];
  readonly task: (name: string) => Task;
}

/** Where an arm stands on each axis that it has. */
interface SweepArm {
  readonly task: string;
  readonly method: string;
  readonly model: string;
  readonly axes: Readonly<Record<string, OptionValue>>;
  readonly cells: readonly string[];
}

export interface TitledTable {
  readonly title: string;
  readonly table: Table;
  readonly notes: readonly string[];
}

/** Every arm and its point on the axes, in the order of the summaries. */
export function sweepArms({ sweep, summaries, cells }: SweepMaterial): SweepArm[] {
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  return summaries.map((summary) => {
    const cell = byId.get(summary.cells[0] ?? "");
    const settings: Readonly<Record<string, OptionValue>> =
      cell === undefined ? {} : { ...cell.options, method: cell.method, model: cell.model };
    const axes = sweep.axes.flatMap(({ knob }) => {
      const value = settings[knob];
      return value === undefined ? [] : [[knob, value] as const];
    });
    const { task, method, model } = summary;
    return { task, method, model, axes: Object.fromEntries(axes), cells: summary.cells };
  });
}

/** The summary of an arm, and the arm's point on the axes. */
export interface SummaryAtPoint {
  readonly summary: Summary;
  readonly axes: SweepArm["axes"];
}

/** The arms by task and data set, each at its point. */
export function perTask(material: SweepMaterial): { fact: TaskFacts; points: SummaryAtPoint[] }[] {
  const arms = sweepArms(material);
  const points = material.summaries.map((summary, i) => ({ summary, axes: arms[i]?.axes ?? {} }));
  return material.facts.map((fact) => ({
    fact,
    points: points.filter(({ summary }) => summary.task === fact.task && summary.dataset === fact.dataset),
  }));
}

/** Undefined where no question was answered in both, as in a run that has hardly begun. */
export function compareHeadlines(full: Summary, part: Summary, material: SweepMaterial): TestedArms | undefined {
  const [a, b] = [rowsOf(full, material), rowsOf(part, material)];
  return compareIfAny({ a, b, metrics: material.task(full.task).metrics.slice(0, 1), seed: seedOf(full, material) });
}

/** All repeats of an arm. */
export const rowsOf = ({ cells }: Summary, { rows }: SweepMaterial): Row[] =>
  rows.filter(({ cell }) => cells.includes(cell));

export const seedOf = (summary: Summary, { cells }: SweepMaterial): number =>
  cells.find(({ id }) => summary.cells.includes(id))?.seed ?? 0;
export const markOf = (points: readonly SummaryAtPoint[]): string => headingMark(points.map(({ summary }) => summary));

export const scoreOf = ({ metrics: [headline] }: Summary): string =>
  headline === undefined ? dash : formatInterval(headline.strict, headline.interval);

export function differenceOf(comparison: TestedArms | undefined): string {
  const metric = comparison?.metrics[0];
  if (metric === undefined) return dash;
  const between = metric.overUsers?.interval;
  return `${signed(metric.difference)} [${between === undefined ? dash : `${signed(between.low)}, ${signed(between.high)}`}]`;
}

const signed = (value: number): string => `${value > 0 ? "+" : ""}${formatScore(value)}`;
