import { methodLabel } from "../results/arms.js";
import { slopeOf } from "../results/compare.js";
import { type ArmMaterial, type ArmPair, comparedPairs, inFamilies, rowsByArm } from "../results/gains.js";
import { groupBy } from "../results/grouped.js";
import type { Summary } from "../results/summary.js";
import type { OptionValue, SweepFacts } from "../types/index.js";
import { headingMark, simulatedLegend } from "./simulated.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { armColumns, pLegend } from "./tables/arm-columns.js";
import { formatGain, formatP } from "./tables/format.js";
import { shortTitle, type TaskFacts } from "./tables/results.js";

export interface SweepMaterial extends ArmMaterial {
  readonly sweep: SweepFacts;
  readonly facts: readonly TaskFacts[];
}

/** Where an arm stands on each axis that it has. */
interface SweepArm {
  readonly task: string;
  readonly method: string;
  readonly model: string;
  readonly axes: Readonly<Record<string, OptionValue>>;
  readonly cells: readonly string[];
}

interface SweepPoint {
  readonly summary: Summary;
  readonly axes: SweepArm["axes"];
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

/** The method that an ablation takes parts from: the reference of its gains; undefined for other sweeps. */
export function fullMethod(sweep: SweepFacts | undefined): string | undefined {
  const base = sweep?.kind === "ablation" ? sweep.axes[0]?.base : undefined;
  return typeof base === "string" ? base : undefined;
}

/** The tables of a sweep: one an axis (scaling, controls), else of all points. Of an ablation the results say it all. */
export function sweepTables(material: SweepMaterial): Table[] {
  const { sweep, summaries, facts } = material;
  const knobs = sweep.axes.map(({ knob }) => knob).filter((knob) => knob !== "method");
  const arms = sweepArms(material);
  const points = summaries.map((summary, i) => ({ summary, axes: arms[i]?.axes ?? {} }));
  const isByAxis = sweep.kind === "scaling" || sweep.kind === "controls";
  return (isByAxis ? knobs.map((knob) => [knob]) : [knobs]).flatMap((shown) =>
    facts.flatMap((fact) => {
      const others = isByAxis ? sweep.axes.filter(({ knob }) => !shown.includes(knob)) : [];
      const along = points.filter(
        ({ summary, axes }) =>
          summary.task === fact.task &&
          summary.dataset === fact.dataset &&
          others.every(({ knob, base }) => base === undefined || !(knob in axes) || axes[knob] === base),
      );
      return pointTable(fact, shown, along, material);
    }),
  );
}

/** An arm without the knobs is a line to compare with. */
function pointTable(
  fact: TaskFacts,
  knobs: readonly string[],
  points: readonly SweepPoint[],
  material: SweepMaterial,
): Table[] {
  const { sweep } = material;
  const [knob = "", ...more] = knobs;
  if (!points.some(({ axes }) => knobs.some((name) => name in axes))) return [];
  const rankOn = ({ axes }: SweepPoint, name: string): number =>
    sweep.axes.find((axis) => axis.knob === name)?.values.indexOf(axes[name] ?? "") ?? -1;
  const ordered = [...points].sort(
    (a, b) => knobs.map((name) => rankOn(a, name) - rankOn(b, name)).find((step) => step !== 0) ?? 0,
  );
  const axis = sweep.axes.find((one) => one.knob === knob);
  const base = axis?.base ?? axis?.values[0];
  const along = more.length > 0 ? [] : inFamilies(comparedPairs(pairsAlong(ordered, knob, base), material));
  const gainOf = (summary: Summary) => along.find(({ arm }) => arm === summary)?.comparison;
  const summaries = points.map(({ summary }) => summary);
  const columns: ColumnOf<SweepPoint>[] = [
    { title: "method", cell: ({ summary }) => methodLabel(summary) },
    ...knobs.map(
      (name): ColumnOf<SweepPoint> => ({ title: name, align: "right", cell: ({ axes }) => axes[name]?.toString() }),
    ),
    ...armColumns<SweepPoint>(summaries, { gain: { title: `gain over ${knob}=${base}`, of: gainOf } }).filter(
      ({ title }) => title !== "method" && !knobs.includes(title),
    ),
  ];
  const unfit = sweep.undefinedFor?.filter(({ task }) => task === fact.task) ?? [];
  const held = sweep.axes.filter((axis) => !knobs.includes(axis.knob) && axis.base !== undefined);
  return [
    {
      name: `${fact.task}-${knobs.join("-")}`,
      title: `${knobs.join(" x ")} on ${shortTitle(fact.title)}${headingMark(summaries)}`,
      keys: 1 + knobs.length,
      ...rowsOfItems(columns, ordered),
      notes: [
        ...(held.length === 0 ? [] : [`held: ${held.map((axis) => `${axis.knob}=${axis.base}`).join(", ")}`]),
        ...unfit.map(({ value, reason }) => `${knob}=${value}: n/a, ${reason}`),
        ...(more.length > 0 ? [] : slopesAlong(ordered, knob, material)),
      ],
      legend: [...pLegend(gainOf, summaries), ...simulatedLegend(summaries)],
    },
  ];
}

/** Pairs each arm of an axis with the arm of its method and model, at its point on all other axes, at the base. */
function pairsAlong(points: readonly SweepPoint[], knob: string, base: OptionValue | undefined): ArmPair[] {
  const lines = groupBy(points, ({ summary: { method, model }, axes: { [knob]: _, model: __, ...others } }) =>
    JSON.stringify([method, knob === "model" ? "" : model, others]),
  );
  return [...lines.values()].flatMap((line) => {
    const reference = line.find(({ axes }) => axes[knob] === base);
    return line.flatMap((point) =>
      reference === undefined || point === reference || point.axes[knob] === undefined
        ? []
        : [{ arm: point.summary, reference: reference.summary }],
    );
  });
}

/** Of two steps the difference says it all. */
const FEWEST_STEPS = 3;

/** Returns the slope of the primary metric along an axis of three numbers or more, by method and model. */
function slopesAlong(points: readonly SweepPoint[], knob: string, { task, rows }: SweepMaterial): string[] {
  const [metric] = points.length === 0 ? [] : task(points[0]!.summary.task).metrics;
  if (metric === undefined) return [];
  const rowsOf = rowsByArm(rows);
  const lines = groupBy(points, ({ summary: { method, model } }) => `${method}, ${model}`);
  return [...lines].flatMap(([name, line]) => {
    const steps = line
      .flatMap(({ summary, axes }) => (typeof axes[knob] === "number" ? [{ value: axes[knob], summary }] : []))
      .sort((a, b) => a.value - b.value);
    const values = steps.map(({ value }) => value);
    if (steps.length < FEWEST_STEPS || steps.length < line.length || new Set(values).size < steps.length) return [];
    const found = slopeOf(
      metric,
      steps.map(({ summary }) => rowsOf(summary)),
    );
    if (found === undefined) return [];
    const { slope, interval, p } = found;
    const bounds =
      interval === undefined ? "" : ` (95 % CI ${formatGain(interval.low)} to ${formatGain(interval.high)})`;
    return [
      `slope along ${knob} (${values.join(", ")}; ${name}): ${metric.name} ${formatGain(slope)} a step${bounds}, p ${formatP(p)}`,
    ];
  });
}
