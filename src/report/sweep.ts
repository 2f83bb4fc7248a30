import { methodLabel } from "../results/arms.js";
import { type ArmInput, type ArmPair, comparedPairs, inFamilies, rowsByArm, slopeOf } from "../results/compare.js";
import { groupBy } from "../results/samples.js";
import type { Summary } from "../results/summary.js";
import type { OptionValue, SweepFacts } from "../types/index.js";
import { boundsOf, type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { armColumns, pLegend } from "./tables/arm-columns.js";
import { formatGain, formatP, headingMark, simulatedLegend } from "./tables/format.js";
import { shortTitle, summariesOfTask, type TaskFacts } from "./tables/results.js";

export interface SweepInput extends ArmInput {
  readonly sweep: SweepFacts;
  readonly facts: readonly TaskFacts[];
}

/** Returns the value of each axis that an arm has. */
export function axesOf(summary: Summary, { sweep, specs }: Pick<SweepInput, "sweep" | "specs">) {
  const arm = specs.find(({ id }) => id === summary.arms[0]);
  const settings: Readonly<Record<string, OptionValue>> =
    arm === undefined ? {} : { ...arm.options, method: arm.method, model: arm.model };
  const axes: Record<string, OptionValue> = {};
  for (const { option } of sweep.axes) if (settings[option] !== undefined) axes[option] = settings[option];
  return axes;
}

/** Returns whether all axes but `except` have their base value, as far as an arm has them and they have one. */
export const isAtBase = (axes: SweepPoint["axes"], sweep: SweepFacts, except: readonly string[]): boolean =>
  sweep.axes.every(
    ({ option, base }) => except.includes(option) || base === undefined || !(option in axes) || axes[option] === base,
  );

interface SweepPoint {
  readonly summary: Summary;
  readonly axes: Readonly<Record<string, OptionValue>>;
}

/** Returns the method that an ablation takes parts from; undefined for other sweeps. */
export function fullMethod(sweep: SweepFacts | undefined): string | undefined {
  const base = sweep?.kind === "ablation" ? sweep.axes[0]?.base : undefined;
  return typeof base === "string" ? base : undefined;
}

/** Makes the tables of a sweep: one an axis (scaling, controls), else of all points; none of an ablation. */
export function sweepTables(input: SweepInput): Table[] {
  const { sweep, summaries, facts } = input;
  const options = sweep.axes.map(({ option }) => option).filter((option) => option !== "method");
  const isByAxis = sweep.kind === "scaling" || sweep.kind === "controls";
  return (isByAxis ? options.map((option) => [option]) : [options]).flatMap((shown) =>
    facts.flatMap((fact) => {
      const points = summariesOfTask(fact, summaries)
        .map((summary) => ({ summary, axes: axesOf(summary, input) }))
        .filter(({ axes }) => !isByAxis || isAtBase(axes, sweep, shown));
      const isVaried = points.some(({ axes }) => shown.some((name) => name in axes));
      return isVaried ? [pointTable(fact, shown, points, input)] : [];
    }),
  );
}

/** Makes the table of one axis, or of several. Arms without the axis are lines to compare with. */
function pointTable(
  fact: TaskFacts,
  options: readonly string[],
  points: readonly SweepPoint[],
  input: SweepInput,
): Table {
  const { sweep } = input;
  const [option = "", ...more] = options;
  const axisOf = (name: string) => sweep.axes.find((one) => one.option === name);
  const placeOn = ({ axes }: SweepPoint, name: string): number => axisOf(name)?.values.indexOf(axes[name] ?? "") ?? -1;
  const ordered = points.toSorted(
    (a, b) => options.map((name) => placeOn(a, name) - placeOn(b, name)).find((step) => step !== 0) ?? 0,
  );
  const base = axisOf(option)?.base ?? axisOf(option)?.values[0];
  const along = more.length > 0 ? [] : inFamilies(comparedPairs(pairsAlong(ordered, option, base), input), sweep);
  const gainOf = (summary: Summary) => along.find(({ arm }) => arm === summary)?.comparison;
  const summaries = points.map(({ summary }) => summary);
  const ofArms = armColumns<SweepPoint>(summaries, { gain: { title: `gain over ${option}=${base}`, of: gainOf } });
  const columns: ColumnOf<SweepPoint>[] = [
    { title: "method", cell: ({ summary }) => methodLabel(summary) },
    ...options.map((name) => ({
      ...{ title: name, align: "right" as const },
      cell: ({ axes }: SweepPoint) => axes[name]?.toString(),
    })),
    ...ofArms.filter(({ title }) => title !== "method" && !options.includes(title)),
  ];
  const unfit = sweep.undefinedFor?.filter(({ task }) => task === fact.task) ?? [];
  const held = sweep.axes.filter((one) => !options.includes(one.option) && one.base !== undefined);
  return {
    name: `${fact.task}-${options.join("-")}`,
    title: `${options.join(" x ")} on ${shortTitle(fact.title)}${headingMark(summaries)}`,
    keys: 1 + options.length,
    ...rowsOfItems(columns, ordered),
    notes: [
      ...(held.length === 0 ? [] : [`held: ${held.map((one) => `${one.option}=${one.base}`).join(", ")}`]),
      ...unfit.map(({ value, reason }) => `${option}=${value}: n/a, ${reason}`),
      ...(more.length > 0 ? [] : slopesAlong(ordered, option, input)),
    ],
    legend: [...pLegend({ over: `${option}=${base}`, of: gainOf }, summaries), ...simulatedLegend(summaries)],
  };
}

/** Pairs each arm of an axis with the arm at the base that is equal to it in all else. */
function pairsAlong(points: readonly SweepPoint[], option: string, base: OptionValue | undefined): ArmPair[] {
  const lines = groupBy(points, ({ summary: { method, model }, axes: { [option]: _, model: __, ...others } }) =>
    JSON.stringify([method, option === "model" ? "" : model, others]),
  );
  return [...lines.values()].flatMap((line) => {
    const reference = line.find(({ axes }) => axes[option] === base)?.summary;
    const others = line.filter(({ summary, axes }) => summary !== reference && axes[option] !== undefined);
    return reference === undefined ? [] : others.map(({ summary }) => ({ arm: summary, reference }));
  });
}

/** Of two steps the difference says it all. */
const FEWEST_STEPS = 3;

/** Returns the slope of the primary metric along an axis of three numbers or more, by method and model. */
function slopesAlong(points: readonly SweepPoint[], option: string, { task, rows }: SweepInput): string[] {
  const rowsOf = rowsByArm(rows);
  const lines = groupBy(points, ({ summary: { method, model } }) => `${method}, ${model}`);
  return [...lines].flatMap(([name, line]) => {
    const [metric] = task(line[0]!.summary.task).metrics; // groups are never empty
    const steps = line
      .flatMap(({ summary, axes }) => (typeof axes[option] === "number" ? [{ value: axes[option], summary }] : []))
      .sort((a, b) => a.value - b.value);
    const values = steps.map(({ value }) => value);
    const isLine = steps.length === line.length && new Set(values).size === steps.length;
    if (metric === undefined || steps.length < FEWEST_STEPS || !isLine) return [];
    const found = slopeOf(
      metric,
      steps.map(({ summary }) => rowsOf(summary)),
    );
    if (found === undefined) return [];
    const bounds = boundsOf(found.interval, formatGain);
    const slope = `${metric.name} ${formatGain(found.slope)} a step ${bounds}, p ${formatP(found.p)}`;
    return [`slope along ${option} (${values.join(", ")}; ${name}): ${slope}`];
  });
}
