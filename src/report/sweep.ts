import { methodLabel } from "../results/arms.js";
import { slopeOf } from "../results/compare.js";
import { type ArmMaterial, type ArmPair, comparedFamilies, pLegend, rowsByArm } from "../results/gains.js";
import { groupBy } from "../results/grouped.js";
import type { Summary } from "../results/summary.js";
import type { OptionValue, SweepFacts } from "../types/index.js";
import { controlTable } from "./controls.js";
import { headingMark, simulatedLegend } from "./simulated.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { armColumns } from "./tables/arm-columns.js";
import { formatGain, formatP } from "./tables/format.js";
import type { TaskFacts } from "./tables/results.js";

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

/** The tables of a sweep: one per axis (scaling), of gains over the full method (ablation), or of all points. */
export const sweepTables = (material: SweepMaterial): Table[] => views[material.sweep.kind](material);

const views: Readonly<Record<SweepFacts["kind"], (material: SweepMaterial) => Table[]>> = {
  scaling: (material) =>
    material.sweep.axes.flatMap(({ knob }) =>
      perTask(material).flatMap(({ fact, points }) => {
        const others = material.sweep.axes.filter((axis) => axis.knob !== knob);
        const along = points.filter(({ axes }) =>
          others.every((axis) => !(axis.knob in axes) || axes[axis.knob] === axis.base),
        );
        return pointTable(fact, [knob], along, material);
      }),
    ),
  backbones: allPoints,
  grid: allPoints,
  controls: (material) =>
    perTask(material).map(({ fact, points }) => ({
      title: `controls of the past on ${shortTitle(fact)}${markOf(points)}`,
      ...controlTable(points, material.sweep.undefinedFor?.filter(({ task }) => task === fact.task) ?? [], material),
    })),
  ablation: (material) => [...ablationTables(material), ...(material.sweep.axes.length > 1 ? allPoints(material) : [])],
};

const shortTitle = ({ title }: TaskFacts): string => title.split(":")[0] ?? title;
const markOf = (points: readonly SweepPoint[]): string => headingMark(points.map(({ summary }) => summary));

/** The arms by task and data set, each at its point. */
function perTask(material: SweepMaterial): { fact: TaskFacts; points: SweepPoint[] }[] {
  const arms = sweepArms(material);
  const points = material.summaries.map((summary, i) => ({ summary, axes: arms[i]?.axes ?? {} }));
  return material.facts.map((fact) => ({
    fact,
    points: points.filter(({ summary }) => summary.task === fact.task && summary.dataset === fact.dataset),
  }));
}

function allPoints(material: SweepMaterial): Table[] {
  const knobs = material.sweep.axes.map(({ knob }) => knob);
  return perTask(material).flatMap(({ fact, points }) => pointTable(fact, knobs, points, material));
}

/** Both axes of a trade: the headline with its interval, and what it costs. An arm without the knobs is a line to compare with. */
function pointTable(
  fact: TaskFacts,
  knobs: readonly string[],
  points: readonly SweepPoint[],
  material: SweepMaterial,
): Table[] {
  if (!points.some(({ axes }) => knobs.some((knob) => knob in axes))) return [];
  const orders = new Map(material.sweep.axes.map(({ knob, values }) => [knob, values]));
  const rankOn = ({ axes }: SweepPoint, knob: string): number => {
    const value = axes[knob];
    return value === undefined ? -1 : (orders.get(knob)?.indexOf(value) ?? -1);
  };
  const shown = knobs.filter((knob) => knob !== "method");
  const ordered = [...points].sort(
    (a, b) => shown.map((knob) => rankOn(a, knob) - rankOn(b, knob)).find((step) => step !== 0) ?? 0,
  );
  const base = knobs.length === 1 ? (baseOf(material.sweep, knobs[0]!) ?? ordered[0]?.axes[knobs[0]!]) : undefined;
  const along = knobs.length === 1 ? comparedFamilies(pairsAlong(ordered, knobs[0]!, base), material) : [];
  const gainOf = (summary: Summary) => along.find(({ arm }) => arm === summary)?.comparison;
  return [
    {
      title: `${knobs.join(" x ")} on ${shortTitle(fact)}${markOf(points)}`,
      keys: 1 + shown.length,
      ...rowsOfItems(
        [
          { title: "method", cell: ({ summary }) => methodLabel(summary) },
          ...shown.map(
            (knob): ColumnOf<SweepPoint> => ({
              title: knob,
              align: "right",
              cell: ({ axes }) => (axes[knob] === undefined ? undefined : String(axes[knob])),
            }),
          ),
          ...armColumns<SweepPoint>(
            points.map(({ summary }) => summary),
            {
              gain: { title: "gain over base", of: gainOf },
              keys: 1 + shown.length,
            },
          ),
        ],
        ordered,
      ),
      notes: [...heldNotes(material.sweep, knobs), ...slopesAlong(ordered, knobs, material)],
      legend: [
        ...(along.length === 0 ? [] : [`gain over base: over ${knobs[0]}=${base}; positive is better`]),
        ...pLegend(
          gainOf,
          points.map(({ summary }) => summary),
        ),
        ...simulatedLegend(points.map(({ summary }) => summary)),
      ],
    },
  ];
}

const baseOf = ({ axes }: SweepFacts, knob: string): OptionValue | undefined =>
  axes.find((axis) => axis.knob === knob)?.base;

/** Pairs each arm of an axis with the arm of its method and model at the base. */
function pairsAlong(points: readonly SweepPoint[], knob: string, base: OptionValue | undefined): ArmPair[] {
  const lines = groupBy(points, ({ summary: { method, model } }) =>
    JSON.stringify(knob === "model" ? method : [method, model]),
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

/** Returns the slope of the primary metric along an axis of three numbers or more, by method and model. */
function slopesAlong(points: readonly SweepPoint[], knobs: readonly string[], material: SweepMaterial): string[] {
  const [knob = "", ...more] = knobs;
  const [metric] = points.length === 0 ? [] : material.task(points[0]!.summary.task).metrics;
  if (metric === undefined || more.length > 0) return [];
  const rowsOf = rowsByArm(material.rows);
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

/** Of two steps the difference says it all. */
const FEWEST_STEPS = 3;

function heldNotes(sweep: SweepFacts, knobs: readonly string[]): string[] {
  const others = sweep.axes.filter(({ knob, base }) => !knobs.includes(knob) && base !== undefined);
  const held = others.map(({ knob, base }) => `${knob}=${base}`);
  return [
    ...(held.length === 0 ? [] : [`held: ${held.join(", ")}`]),
    ...(sweep.kind === "backbones" && (sweep.axes.find(({ knob }) => knob === "model")?.values.length ?? 0) < 2
      ? ["one model only: backbones are compared with --model a/x,b/y on real models"]
      : []),
  ];
}

/** The full method, and each of its ablations, as a paired gain over it. */
function ablationTables(material: SweepMaterial): Table[] {
  const full = material.sweep.axes.find(({ knob }) => knob === "method")?.base;
  const groups = perTask(material).flatMap(({ fact, points }) =>
    points
      .filter(({ summary }) => summary.method === full)
      .map((reference) => ({ fact, reference, others: points.filter((point) => isPart(point, reference)) })),
  );
  const pairs = groups.flatMap(({ reference, others }) =>
    others.map(({ summary }) => ({ arm: summary, reference: reference.summary })),
  );
  const tested = comparedFamilies(pairs, material);
  const severalModels = new Set(material.summaries.map(({ model }) => model)).size > 1;
  return groups.map(({ fact, reference, others }) => {
    const found = tested.filter((pair) => pair.reference === reference.summary);
    const gainOf = (summary: Summary) => found.find(({ arm }) => arm === summary)?.comparison;
    const arms = [reference, ...others].map(({ summary }) => summary);
    const model = severalModels ? ` · ${reference.summary.model}` : "";
    return {
      title: `ablation of ${full} on ${shortTitle(fact)}${model}${markOf([reference])}`,
      ...rowsOfItems(
        [
          { title: "method", cell: ({ summary }) => methodLabel(summary) },
          ...armColumns<SweepPoint>(arms, { gain: { title: "gain over full", of: gainOf } }),
        ],
        [reference, ...others],
      ),
      legend: ["gain over full: negative where the part that is left out helped", ...pLegend(gainOf, arms)],
    };
  });
}

/** Whether an arm differs from the full method in the method only: same model, same values on all other axes. */
function isPart(point: SweepPoint, reference: SweepPoint): boolean {
  const { method, ...others } = point.axes;
  const { method: full, ...base } = reference.axes;
  return (
    method !== full &&
    point.summary.model === reference.summary.model &&
    Object.entries(others).every(([knob, value]) => base[knob] === value)
  );
}
