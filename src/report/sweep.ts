import { countOf } from "../text/count.js";
import type { OptionValue, SweepFacts } from "../types/index.js";
import { methodLabel } from "./arms.js";
import { TOO_NARROW } from "./compare/compare.js";
import { controlTable } from "./controls.js";
import { type ArmMaterial, type ArmPair, comparedPairs } from "./gains.js";
import { groupBy } from "./grouped.js";
import { headingMark, simulatedLegend } from "./simulated.js";
import type { Summary } from "./summary.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { armColumns } from "./tables/arm-columns.js";
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
  const along = knobs.length === 1 ? comparedPairs(pairsAlong(ordered), material) : [];
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
              gain: {
                title: "gain over first",
                of: (summary) => along.find(({ arm }) => arm === summary)?.comparison,
                tests: true,
              },
              keys: 1 + shown.length,
            },
          ),
        ],
        ordered,
      ),
      notes: heldNotes(material.sweep, knobs),
      legend: [
        ...(along.length === 0 ? [] : [`gain over first: positive is better; ${INTERVAL}`]),
        ...simulatedLegend(points.map(({ summary }) => summary)),
      ],
    },
  ];
}

const INTERVAL = `95 % interval over users, ${TOO_NARROW}; W/T/L: users for whom it is better, equal, worse`;

/** Each arm of an axis with the first arm of its method and model. */
function pairsAlong(points: readonly SweepPoint[]): ArmPair[] {
  const lines = groupBy(points, ({ summary: { method, model } }) => JSON.stringify([method, model]));
  return [...lines.values()].flatMap(([first, ...others]) =>
    others.flatMap(({ summary }) => (first === undefined ? [] : [{ arm: summary, reference: first.summary }])),
  );
}

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

/** The full method, and each of its ablations as a paired gain over it; p after Holm over all of them. */
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
  const tested = comparedPairs(pairs, material);
  const family = tested.filter(({ comparison }) => comparison.metrics[0]?.overUsers !== undefined).length;
  const severalModels = new Set(material.summaries.map(({ model }) => model)).size > 1;
  return groups.map(({ fact, reference, others }) => {
    const found = tested.filter((pair) => pair.reference === reference.summary);
    const model = severalModels ? ` · ${reference.summary.model}` : "";
    return {
      title: `ablation of ${full} on ${shortTitle(fact)}${model}${markOf([reference])}`,
      ...rowsOfItems(
        [
          { title: "method", cell: ({ summary }) => methodLabel(summary) },
          ...armColumns<SweepPoint>(
            [reference, ...others].map(({ summary }) => summary),
            {
              gain: {
                title: "gain over full",
                of: (summary) => found.find(({ arm }) => arm === summary)?.comparison,
                tests: true,
              },
            },
          ),
        ],
        [reference, ...others],
      ),
      legend: [
        `gain over full: negative where the part that is left out helped; ${INTERVAL}; p Holm: over ${countOf(family, "comparison")}`,
      ],
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
